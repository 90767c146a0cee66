package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/cache/internal/build"
	"github.com/resolvent/resolvent/constraints"
)

// indexFormat is the version of indexes. Raise it whenever the meaning of their texts
// changes, or reading a catalog has another result.
const indexFormat = 16

// renderedDepth is at least the nesting of a blob around the values of its properties.
const renderedDepth = 8

// indexHeader is the first line of the text of an index. The packages, exactly rendered, follow
// it.
type indexHeader struct {
	Key string
	// Bundles and Entries are the numbers of bundles, and of entries in all channels.
	Bundles, Entries int
	// Content is the result of Snapshot.Content.
	Content string
	// Faults and Lost are those of the source, which the packages no longer have.
	Faults []catalog.Fault
	Lost   []catalog.LostProvider
	// ChannelFaults are those of channels without order, by package and channel.
	ChannelFaults map[string]map[string]string
}

// renderIndex returns the text of an index. It fails on faults that JSON cannot express.
func renderIndex(ctx context.Context, key string, s *catalog.Snapshot) ([]byte, error) {
	content, err := s.Content(ctx)
	if err != nil {
		return nil, err
	}
	header := indexHeader{
		Key: key, Bundles: s.Len(), Content: content,
		Faults: s.Faults(), Lost: s.LostProviders(), ChannelFaults: map[string]map[string]string{},
	}
	packages := slices.Collect(s.Packages())
	for _, p := range packages {
		faults := map[string]string{}
		for _, c := range p.Channels {
			header.Entries += len(c.Entries)
			if c.Fault != "" {
				faults[c.Name] = c.Fault
				header.ChannelFaults[p.Name] = faults
			}
		}
	}
	first, err := json.Marshal(header, json.Deterministic(true), json.FormatNilSliceAsNull(true))
	if err != nil {
		return nil, err
	}
	rest, err := render(ctx, s, packages, nil, true)
	return slices.Concat(first, []byte("\n"), rest), err
}

// readIndex returns the snapshot in the text of an index. The options must be those with which
// the catalog was read.
func readIndex(ctx context.Context, key string, text []byte, opts Options) (*catalog.Snapshot, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var header indexHeader
	if err := json.Unmarshal(first, &header, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("its first line cannot be read: %w", err)
	}
	if header.Key != key {
		return nil, errors.New("it has another key")
	}
	// These limits are of files and documents, and the text is neither of the catalog. A property
	// stands deeper in a rendered bundle than in a file of its own.
	opts.Limits.FileBytes, opts.Limits.DocumentBytes, opts.Limits.Documents = int64(len(text)), len(text), len(text)
	opts.Limits.Depth = opts.Limits.WithDefaults().Depth + renderedDepth
	parser := constraints.NewParser(opts.Constraints)
	parts := splitLines(rest)
	contents, err := collect(ctx, len(parts), parser, opts, func(ctx context.Context, c *build.Collector, i int) error {
		return c.ReadFile(ctx, "index.json", parts[i])
	})
	if err != nil {
		return nil, err
	}
	contents.SetFaults(header.ChannelFaults)
	read, err := build.Parts(ctx, contents, parser)
	if err != nil {
		return nil, err
	}
	entries := 0
	for _, p := range read.Packages {
		for _, c := range p.Channels {
			entries += len(c.Entries)
		}
	}
	if len(read.Bundles) != header.Bundles || entries != header.Entries {
		return nil, fmt.Errorf("%d of its %d bundles and %d of its %d entries can be read", len(read.Bundles), header.Bundles, entries, header.Entries)
	}
	read.Faults, read.Lost, read.Content = header.Faults, header.Lost, header.Content
	return opts.snapshot(read), nil
}

// splitLines splits lines into parts of some 256 KiB, which are read concurrently.
func splitLines(text []byte) (parts [][]byte) {
	const size = 256 << 10
	for len(text) > size {
		n := bytes.IndexByte(text[size:], '\n')
		if n < 0 {
			break
		}
		parts, text = append(parts, text[:size+n+1]), text[size+n+1:]
	}
	return append(parts, text)
}
