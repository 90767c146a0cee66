package main

import (
	"context"
	"os"

	"github.com/resolvent/resolvent/resolver"
	"github.com/resolvent/resolvent/resolver/scenario"
)

// save writes the question as one file.
func (q *question) save(ctx context.Context, path string) error {
	in := &scenario.Inputs{
		Cluster: q.cluster, Catalogs: q.catalogs, Options: q.options,
		Namespaces: q.namespaces, Extensions: q.extensions, Jointly: q.jointly,
	}
	recorded, err := scenario.Record(ctx, in, scenario.Comment(in))
	if err != nil {
		return err
	}
	text, err := recorded.Format()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// loadQuestion reads a question that was saved, or any other scenario.
func loadQuestion(ctx context.Context, path string) (*question, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := scenario.Parse(text)
	if err != nil {
		return nil, err
	}
	in, err := s.Inputs(ctx)
	if err != nil {
		return nil, err
	}
	return &question{
		options: in.Options, cluster: in.Cluster, catalogs: in.Catalogs,
		namespaces: in.Namespaces, extensions: in.Extensions, jointly: in.Jointly,
		resolver: resolver.New(in.Options),
	}, nil
}
