package plan

import (
	"context"
	"errors"

	"github.com/resolvent/resolvent/resolver/cluster"
	"github.com/resolvent/resolvent/resolver/internal/engine"
	"github.com/resolvent/resolvent/resolver/internal/fix"
	"github.com/resolvent/resolvent/resolver/internal/model"
	"github.com/resolvent/resolvent/resolver/internal/route"
	"github.com/resolvent/resolvent/resolver/updates"
)

// FindPath implements Resolver.Path.
func FindPath(ctx context.Context, e *engine.Engine, in model.Inputs, key cluster.RequestKey, to string) (*updates.Path, error) {
	path, err := route.New(ctx, e, in, key).Find(to)
	if none, ok := errors.AsType[*updates.NoPath](err); ok && !in.Options.NoFixes {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		p, err := e.Read(ctx, stop, in)
		if err != nil {
			return nil, err
		}
		none.Help = fix.SearchGoal(ctx, e, p, fix.Path{Request: key, To: none.To})
	}
	return path, err
}
