package terminal

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

const (
	// grace is the processor time for which a Page takes pieces after its context has ended.
	grace = 100 * time.Millisecond
	// A Page is printed when so much of it is ready, or after so long.
	enough   = 32 << 10
	patience = 100 * time.Millisecond
)

// Page is the standard output of a command. It is printed piece by piece, as they become
// ready. Once the context of the command has ended, pieces are printed for a short while,
// and Close says how many are left.
type Page struct {
	bytes.Buffer // what is ready and not printed yet
	Style
	ctx     context.Context
	to      io.Writer
	output  string
	printed time.Time
	ended   atomic.Int64 // processor time when the context had ended, in nanoseconds
	left    error
}

// NewPage returns an empty page. Whatever the command does after its context has ended counts,
// if the page is made before.
func NewPage(ctx context.Context, to io.Writer, output string) *Page {
	p := &Page{Style: StyleFor(to), ctx: ctx, to: to, output: output}
	context.AfterFunc(ctx, p.end)
	return p
}

func (p *Page) end() { p.ended.CompareAndSwap(0, int64(max(1, processorTime()))) }

// within reports whether a time has not passed since the context ended.
func (p *Page) within(limit time.Duration) bool {
	if p.ctx.Err() == nil {
		return true
	}
	p.end()
	return processorTime()-time.Duration(p.ended.Load()) < limit
}

// Exactly returns the page, whose lines are then printed as they are, such as those for a shell.
func (p *Page) Exactly() *Page {
	p.width = 0
	return p
}

// Each has print write n pieces, whole lines each. It stops at the first that is not ready
// and, as the context has ended, will not be.
func (p *Page) Each(n int, thing string, print func(i int) (ready bool)) {
	for i := range n {
		if !p.within(grace) || !print(i) && p.ctx.Err() != nil {
			p.left = cmp.Or(p.left, fmt.Errorf("interrupted: %d of %s printed", i, Count(n, thing)))
			return
		}
		if p.Len() >= enough || time.Since(p.printed) > patience {
			p.flush()
		}
	}
}

// Whole writes a text that is of no use in pieces, unless there is no time left.
func (p *Page) Whole(thing string, text func() (string, error)) error {
	made, err := "", error(nil)
	if p.within(grace) {
		made, err = text()
	}
	if !p.within(grace) {
		made, err, p.left = "", nil, cmp.Or(p.left, fmt.Errorf("interrupted: the %s is not printed", thing))
	}
	p.WriteString(made)
	return err
}

func (p *Page) flush() {
	p.print(p.to, p.Bytes(), p.output)
	p.Reset()
	p.printed = time.Now()
}

// Close prints the rest. The error says what is not printed.
func (p *Page) Close() error {
	p.flush()
	return p.left
}

// Schema is the version of what is written for programs: keys stay, more may be added.
const Schema = "resolvent/v1"

// document is an output for programs.
type document[T any] struct {
	Schema string `json:"schema"`
	Body   T      `json:",embed"`
}

// WriteJSON writes a document, whose Lists are pieces. A page of YAML gets it as that.
func WriteJSON[T any](p *Page, body T, how ...json.Options) error {
	if p.output == OutputYAML {
		text, err := json.Marshal(document[T]{Schema, body}, how...)
		if err != nil {
			return err
		}
		return p.YAML(1, "document", func(int) ([]*yaml.Node, error) { return YAMLOf(text) })
	}
	return WriteIndented(p, document[T]{Schema, body}, how...)
}

// WriteIndented writes JSON of which others fix the shape.
func WriteIndented(p *Page, body any, how ...json.Options) error {
	err := json.MarshalWrite(writer{p}, body, append(how, jsontext.WithIndent("  "))...)
	p.WriteByte('\n')
	return err
}

// writer hides that a Page is a buffer, to which JSON is written in one.
type writer struct{ io.Writer }

// List is a list of which JSON has the elements that a Page takes, made one by one.
type List[T any] struct {
	page  *Page
	thing string
	n     int
	at    func(i int) T
}

// ListOf is the List of what a function makes of all elements.
func ListOf[From, To any](p *Page, thing string, list []From, f func(From) To) List[To] {
	return List[To]{p, thing, len(list), func(i int) To { return f(list[i]) }}
}

// AsIs has ListOf take elements as they are.
func AsIs[T any](v T) T { return v }

// JSONSchemaAlias has the elements in the place of the list.
func (l List[T]) JSONSchemaAlias() any { return []T{} }

func (l List[T]) MarshalJSONTo(encoder *jsontext.Encoder) error {
	err := encoder.WriteToken(jsontext.BeginArray)
	l.page.Each(l.n, l.thing, func(i int) bool {
		err = cmp.Or(err, json.MarshalEncode(encoder, l.at(i)))
		return err == nil
	})
	return cmp.Or(err, encoder.WriteToken(jsontext.EndArray))
}

// Table writes a table of n rows, a piece each, below a first one.
func (p *Page) Table(t Table, first []string, n int, thing string, row func(i int) []string) {
	t.Row(first...)
	for i := 0; i < n && p.within(grace/2); i++ { // the other half is to print them
		t.Row(row(i)...)
	}
	t.fit(p.width)
	t.write(&p.Buffer, 0)
	p.Each(n, thing, func(i int) bool {
		if i+1 == len(t.rows) {
			return false
		}
		t.write(&p.Buffer, i+1)
		return true
	})
	t.end(&p.Buffer)
}
