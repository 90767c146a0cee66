package olmtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/resolvent/resolvent/cache"
	"github.com/resolvent/resolvent/cache/catalog"
	"github.com/resolvent/resolvent/examples/resolvent/command"
	"github.com/resolvent/resolvent/resolver/cluster"
)

// world is the cluster that the commands see: the running one, if there is one, with catalogs
// that are kept between calls, and without any way to change it. It implements [command.Live].
type world struct {
	live    command.Live // nil if the tools answer about files
	keep    time.Duration
	now     func() time.Time
	mu      sync.Mutex
	content map[string]*content
}

// Register adds no flags: arguments of tools choose no cluster.
func (w *world) Register(*pflag.FlagSet) {}

// Namespaces are those that a call names, or all.
func (w *world) Namespaces(named []string) ([]string, error) { return named, nil }

// Objects reads the running cluster anew for each call.
func (w *world) Objects(ctx context.Context, query command.LiveQuery, warnings io.Writer) (cluster.Objects, error) {
	if w.live == nil {
		return cluster.Objects{}, errNoCluster
	}
	return w.live.Objects(ctx, query, warnings)
}

// Catalogs are those that the running cluster declares.
func (w *world) Catalogs(ctx context.Context, query command.LiveQuery, warnings io.Writer) (cluster.Objects, error) {
	if w.live == nil {
		return cluster.Objects{}, nil
	}
	return w.live.Catalogs(ctx, query, warnings)
}

// Approve refuses: tools change nothing.
func (w *world) Approve(context.Context, string, string, string) error { return errReadOnly }

var (
	errNoCluster = errors.New("there is no cluster to look at: start the server with -f FILE, or with --live")
	errReadOnly  = errors.New("tools change nothing")
)

// maxKept bounds the catalogs of which something is kept: of the running cluster, calls may name any.
const maxKept = 256

// Open returns a catalog that keeps what was read. What it is read with, such as the deadline, is
// that of the call.
func (w *world) Open(from string, transport http.RoundTripper, options cache.OriginOptions) (cache.Origin, error) {
	opened, err := w.open(from, transport, options)
	if err != nil {
		return nil, err
	}
	// The limits are the same in all calls; the texts of descriptions are not always read.
	key := fmt.Sprint(options.Texts, " ", from)
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.content[key]
	if known == nil {
		if len(w.content) >= maxKept {
			clear(w.content)
		}
		known = &content{}
		w.content[key] = known
	}
	return &origin{opened, from, w, known}, nil
}

func (w *world) open(from string, transport http.RoundTripper, options cache.OriginOptions) (cache.Origin, error) {
	if w.live != nil {
		if opened, err := w.live.Open(from, transport, options); opened != nil || err != nil {
			return opened, err
		}
	}
	return cache.Open(from, options)
}

// content is what is kept of a catalog: as long as its files are the same and, where that is not
// known, for some time.
type content struct {
	snapshot kept[*catalog.Snapshot]
	checked  kept[*cache.Checked]
}

// origin is a catalog of which content is kept.
type origin struct {
	cache.Origin
	from  string
	world *world
	*content
}

func (o *origin) Load(ctx context.Context) (*catalog.Snapshot, error) {
	return o.snapshot.get(ctx, o, o.Origin.Load)
}

func (o *origin) LoadChecked(ctx context.Context) (*cache.Checked, error) {
	return o.checked.get(ctx, o, o.Origin.LoadChecked)
}

// kept is what was read, and of which files.
type kept[T any] struct {
	busy  sync.Mutex
	value T
	stamp string
	until time.Time
}

// get returns what is kept, or reads it. Calls that want the same wait for the one that reads.
// An error is not kept.
func (k *kept[T]) get(ctx context.Context, o *origin, read func(context.Context) (T, error)) (value T, err error) {
	k.busy.Lock()
	defer k.busy.Unlock()
	if ctx.Err() != nil {
		return value, context.Cause(ctx)
	}
	now := o.world.now()
	stamp := stampOf(o.from)
	if now.Before(k.until) && stamp == k.stamp {
		return k.value, nil
	}
	if value, err = read(ctx); err == nil {
		k.value, k.stamp, k.until = value, stamp, now.Add(o.world.keep)
	}
	return value, err
}

// maxStamped bounds the files of a folder that are looked at; of one with more, changes are
// seen when the time is over.
const maxStamped = 20_000

// stampOf changes with the files of a local catalog, links followed. It is empty for others.
func stampOf(from string) string {
	path, err := filepath.EvalSymlinks(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(from, "oci-archive:"), "docker-archive:"), "oci:"))
	if err != nil {
		return ""
	}
	var b strings.Builder
	files := 0
	err = filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if files++; files > maxStamped {
			return fs.SkipAll
		}
		info, err := os.Stat(name)
		if err == nil {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		return ""
	}
	return b.String()
}
