package command

import (
	"context"
	"fmt"

	"github.com/resolvent/resolvent/examples/resolvent/internal/inputs"
	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// save writes the question as one file.
func (q *question) save(ctx context.Context, path string) error {
	recorded, err := q.Question.Record(ctx)
	var text []byte
	if err == nil {
		text, err = recorded.Format()
	}
	if err == nil {
		err = inputs.WriteFile(ctx, path, text)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return fmt.Errorf("--save %s: the problem is not saved: %w", path, err)
}

// maxLoadBytes bounds a question, which has the parts of catalogs that it needs.
const maxLoadBytes = 256 << 20

// loadQuestion reads a question that was saved, or any other scenario.
func loadQuestion(ctx context.Context, path string) (*question, error) {
	text, err := inputs.ReadFile(ctx, path, maxLoadBytes)
	if err != nil {
		return nil, fmt.Errorf("--load %w", err)
	}
	s, err := scenario.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(s.Cluster) == 0 && len(s.Files) == 0 && s.Want == "" {
		// Every part of a scenario may be missing, but without all of them it may be
		// any text.
		return nil, fmt.Errorf("%s: resolve --save did not write this file; pass manifests with -f", path)
	}
	q, err := s.Question(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &question{*q, resolver.New()}, nil
}
