package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// mostMemory bounds what a test takes, in KiB: a fault may let it grow for ever.
const mostMemory = 8 << 20

func (w *workshop) line(f *fault) int { return 1 + strings.Count(f.file.text[:f.from], "\n") }

// judge runs the tests with a fault, and prints what becomes of it.
func (w *workshop) judge(f *fault) error {
	changed, overlay := filepath.Join(w.dir, "changed.go"), filepath.Join(w.dir, "overlay.json")
	if err := os.WriteFile(changed, []byte(f.file.text[:f.from]+f.text+f.file.text[f.to:]), 0o600); err != nil {
		return err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(w.root, f.file.path): changed}})
	if err != nil {
		return err
	}
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return err
	}
	by, began := "", time.Now()
	for _, folder := range f.room.tests {
		if w.limits[folder] == 0 {
			// The first run is without fault, and must pass.
			began := time.Now()
			if failed, err := w.test(folder, "", time.Hour); err != nil || failed != "" {
				return errors.Join(fmt.Errorf("the tests of %s fail without a fault: %s", folder, failed), err)
			}
			w.limits[folder] = 5*time.Since(began) + time.Minute
		}
		failed, err := w.test(folder, overlay, w.limits[folder])
		if err != nil {
			return err
		}
		if failed != "" {
			by = folder + " " + failed
			break
		}
	}
	if by == "" {
		f.room.survived++
		by = "SURVIVES"
	} else {
		f.room.noticed++
		by = "noticed by " + by
	}
	fmt.Printf("%d: %s\n    %s (%d s)\n", w.line(f), f, by, int(time.Since(began).Seconds()))
	return nil
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\w+)|^(panic: .*)|^(fatal error: .*)`)

// test runs the tests of a folder, and returns the first one that fails. It must fail twice:
// on a busy machine a test may fail once that measures how long something takes.
func (w *workshop) test(folder, overlay string, limit time.Duration) (failed string, err error) {
	program := filepath.Join(w.dir, "program.test")
	build := exec.CommandContext(w.ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./"+folder)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	passed := "^$"
	for {
		failed, err := w.start(folder, program, limit, "-test.skip", passed)
		if err != nil || !strings.HasPrefix(failed, "Test") {
			return failed, err
		}
		if again, err := w.start(folder, program, limit, "-test.run", "^"+failed+"$"); err != nil || again != "" {
			return failed, err
		}
		passed += "|^" + failed + "$"
	}
}

// start runs a test program in its folder. It returns the test that fails or, if none of them
// does, why the program ends.
func (w *workshop) start(folder, program string, limit time.Duration, args ...string) (failed string, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, limit+10*time.Second)
	defer cancel()
	args = append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$@"`, mostMemory), "sh", program, "-test.failfast", "-test.timeout", limit.String()}, args...)
	test := exec.CommandContext(ctx, "sh", args...)
	test.Dir = folder
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
