// Command faults puts small deliberate faults into the code, one after another, and reports
// which of them the tests notice. It is run in the folder of the module, whose files stay as
// they are:
//
//	go run ./testdata/faults [-seed N] [-n NUMBER] [-match REGEXP] [-least PERCENT] [-list] [ROOM...]
//
// A room is a package, by its folder; without one, all rooms have their turn. A fault is
// noticed if the tests of its room fail or, if they pass, those of a package above it in the
// tree of folders, of ./resolver, or of the command line. The file equivalent.txt beside this
// one lists faults that change nothing that a test could see, with reasons. They are not drawn.
//
// The exit status is 1 if fewer than PERCENT of the faults are noticed, and 2 if nothing can
// be judged.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
)

//go:embed equivalent.txt
var equivalent string

// workshop has what is needed to judge faults.
type workshop struct {
	ctx      context.Context
	dir      string // of temporary files
	root     string
	fset     *token.FileSet
	export   map[string]string
	importer types.Importer
}

func main() {
	seed := flag.Uint64("seed", 1, "draw other faults")
	number := flag.Int("n", 40, "how many faults, evenly over the rooms")
	match := flag.String("match", "", "draw only faults whose line matches a regular expression")
	least := flag.Int("least", 0, "fail if fewer than so many percent are noticed")
	list := flag.Bool("list", false, "print the faults, and run nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "faults")
	if err == nil {
		err = run(ctx, dir, *seed, *number, *match, *least, *list, flag.Args())
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, errWeak) {
			os.Exit(1)
		}
		os.Exit(2)
	}
}

var errWeak = errors.New("too few faults are noticed")

func run(ctx context.Context, dir string, seed uint64, number int, match string, least int, list bool, folders []string) error {
	matches, err := regexp.Compile(match)
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	w := &workshop{ctx: ctx, dir: dir, root: root, fset: token.NewFileSet(), export: map[string]string{}}
	w.importer = importer.ForCompiler(w.fset, "gc", func(name string) (io.ReadCloser, error) { return os.Open(w.export[name]) })
	rooms, err := w.rooms(folders)
	if err != nil {
		return err
	}
	known := strings.Split(equivalent, "\n")
	for _, r := range rooms {
		if err := w.find(r, seed); err != nil {
			return err
		}
		r.faults = slices.DeleteFunc(r.faults, func(f fault) bool {
			return slices.Contains(known, f.String()) || !matches.MatchString(f.String())
		})
	}
	fmt.Printf("seed %d\n", seed)
	for left := number; left > 0; {
		before := left
		for _, r := range rooms {
			if left == 0 {
				break
			}
			if !w.next(r) {
				continue
			}
			left--
			r.drawn = append(r.drawn, r.faults[0])
			r.faults = r.faults[1:]
		}
		if left == before {
			break // no room has another one
		}
	}
	for _, r := range rooms {
		if list {
			for _, f := range r.drawn {
				fmt.Printf("%d: %s\n", f.line(), &f)
			}
		} else if err := w.judge(r); err != nil {
			return err
		}
	}
	if list {
		return nil
	}
	return total(rooms, least)
}

// total prints what became of the faults of each room.
func total(rooms []*room, least int) error {
	noticed, all := 0, 0
	fmt.Printf("\n%8s %8s %11s\n", "noticed", "survived", "no compile")
	for _, r := range rooms {
		if r.noticed+r.survived+r.uncompiled > 0 {
			fmt.Printf("%8d %8d %11d  %s\n", r.noticed, r.survived, r.uncompiled, r.folder)
		}
		noticed, all = noticed+r.noticed, all+r.noticed+r.survived
	}
	fmt.Printf("%d of %d noticed\n", noticed, all)
	if noticed*100 < least*all {
		return fmt.Errorf("%w: %d of %d, and %d %% are wanted", errWeak, noticed, all, least)
	}
	return nil
}
