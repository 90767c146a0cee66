package trial

import (
	"strings"

	"github.com/resolvent/resolvent/testdata"
)

// Example is a problem to begin with.
type Example struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Input
}

// Examples are the problems of the page, the first one first.
func Examples() []Example {
	list := []Example{
		{Name: "conflict", Title: "A conflict", Input: Input{Question: Resolve}},
		{Name: "stuck", Title: "A stuck update", Input: Input{Question: Status}},
		{Name: "orphan", Title: "An orphan", Input: Input{Question: Resolve}},
		{Name: "migration", Title: "A migration", Input: Input{Question: Migrate}},
		{Name: "policy", Title: "A policy", Input: Input{Question: Resolve}},
	}
	for i := range list {
		e := &list[i]
		e.Catalog, e.Cluster = content(e.Name+"/catalog.yaml"), content(e.Name+"/cluster.yaml")
	}
	return list
}

// content is that of a file that is part of the program.
func content(name string) string {
	text, err := testdata.Examples.ReadFile("examples/" + name)
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}
