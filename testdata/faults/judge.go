package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What tests may take: a fault may let them go on or grow for ever. On a busy machine only the
// seconds of the processor are the same.
const (
	mostMemory    = 8 << 20 // KiB
	mostProcessor = 600     // seconds
	mostTime      = time.Hour
)

// chooser is what a package is built with whose faults are chosen when it runs.
const chooser = `package %s

import (
	"os"
	"strconv"
)

var chosenFault, _ = strconv.Atoi(os.Getenv("FAULT"))

func isFault(n int) bool { return n == chosenFault }

func chooseByFault[T any](n int, right, wrong func() T) T {
	if isFault(n) {
		return wrong()
	}
	return right()
}
`

func (f *fault) line() int { return 1 + strings.Count(f.file.text[:f.from], "\n") }

// build is a room with several faults, of which a run chooses one by its number, from 1.
type build struct {
	faults  []*fault
	overlay string
	// programs has the tests by their folder.
	programs map[string]string
}

// builds divides the faults of a room: those of a build do not overlap. One that leaves no
// choice has a build of its own.
func (w *workshop) builds(r *room) (list []*build) {
	for i := range r.drawn {
		f := &r.drawn[i]
		fits := func(b *build) bool {
			return !slices.ContainsFunc(b.faults, func(o *fault) bool {
				return o.chosen == o.edit || o.file == f.file && o.chosen.from < f.chosen.to && f.chosen.from < o.chosen.to
			})
		}
		chosen := f.chosen
		if chosen.text = fmt.Sprintf(chosen.text, 1); !w.compiles(r, f.file, chosen) {
			f.chosen = f.edit
			fits = func(*build) bool { return false }
		}
		at := slices.IndexFunc(list, fits)
		if at < 0 {
			at = len(list)
			list = append(list, &build{programs: map[string]string{}})
		}
		list[at].faults = append(list[at].faults, f)
	}
	return list
}

// write writes the files of a build.
func (w *workshop) write(r *room, b *build, dir string) error {
	edits := map[*source][]edit{r.chooser: {}}
	for i, f := range b.faults {
		e := f.chosen
		if e != f.edit {
			e.text = fmt.Sprintf(e.text, i+1)
		}
		edits[f.file] = append(edits[f.file], e)
	}
	replaced := map[string]string{}
	for file, list := range edits {
		text := file.text
		slices.SortFunc(list, func(a, b edit) int { return b.from - a.from })
		for _, e := range list {
			text = e.in(text)
		}
		at := filepath.Join(dir, filepath.Base(file.path))
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			return err
		}
		replaced[filepath.Join(w.root, file.path)] = at
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return err
	}
	b.overlay = filepath.Join(dir, "overlay.json")
	return os.WriteFile(b.overlay, list, 0o600)
}

// judge runs the tests with each fault of a room, and prints what becomes of it.
func (w *workshop) judge(r *room) error {
	for i, b := range w.builds(r) {
		dir := filepath.Join(w.dir, fmt.Sprint(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		if err := w.write(r, b, dir); err != nil {
			return err
		}
		for i, f := range b.faults {
			began := time.Now()
			by, err := w.noticed(r, b, i+1)
			if err != nil {
				return err
			}
			if by == "" {
				r.survived++
				by = "SURVIVES"
			} else {
				r.noticed++
				by = "noticed by " + by
			}
			fmt.Printf("%d: %s\n    %s (%d s)\n", f.line(), f, by, int(time.Since(began).Seconds()))
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// noticed returns the folder and the test that notices a fault.
func (w *workshop) noticed(r *room, b *build, number int) (by string, err error) {
	for _, folder := range r.tests {
		if b.programs[folder] == "" {
			program := filepath.Join(filepath.Dir(b.overlay), fmt.Sprint(len(b.programs), ".test"))
			cmd := exec.CommandContext(w.ctx, "go", "test", "-c", "-vet=off", "-overlay", b.overlay, "-o", program, "./"+folder)
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("%w: %s", err, out)
			}
			b.programs[folder] = program
		}
		if failed, err := w.test(folder, b.programs[folder], number, b.faults[0].chosen != b.faults[0].edit); err != nil || failed != "" {
			return folder + " " + failed, err
		}
	}
	return "", nil
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)|^(panic: .*)|^(fatal error: .*)`)

// test runs the tests of a folder, and returns the first one that fails. It must fail twice, and
// pass without the fault: on a busy machine a test may fail that measures how long something takes.
func (w *workshop) test(folder, program string, number int, choice bool) (failed string, err error) {
	passed := "^$"
	for {
		failed, err := w.start(folder, program, number, "-test.skip", passed)
		if err != nil || strings.Contains(failed, " ") || failed == "" {
			return failed, err // not the name of a test
		}
		again, err := w.start(folder, program, number, "-test.run", "^"+failed+"$")
		if err == nil && again != "" && choice {
			var without string
			if without, err = w.start(folder, program, 0, "-test.run", "^"+failed+"$"); without != "" {
				again = ""
			}
		}
		if err != nil || again != "" {
			return failed, err
		}
		passed += "|^" + failed + "$"
	}
}

// start runs a test program in its folder with a fault. It returns the test that fails or, if none
// of them does, why the program ends.
func (w *workshop) start(folder, program string, number int, args ...string) (failed string, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, mostTime+10*time.Second)
	defer cancel()
	args = append([]string{"-c", fmt.Sprintf(`ulimit -v %d && ulimit -t %d && exec "$@"`, mostMemory, mostProcessor), "sh", program, "-test.failfast", "-test.timeout", mostTime.String()}, args...)
	test := exec.CommandContext(ctx, "sh", args...)
	test.Dir = folder
	test.Env = append(os.Environ(), fmt.Sprint("FAULT=", number))
	test.WaitDelay = time.Second
	out, err := test.CombinedOutput()
	if w.ctx.Err() != nil {
		return "", w.ctx.Err()
	}
	if err == nil {
		return "", nil
	}
	if m := failedTest.FindStringSubmatch(string(out)); m != nil {
		return strings.Join(m[1:], ""), nil
	}
	return err.Error(), nil
}
