//go:build !js

// Command playground serves a page on which the library answers in the browser: it is
// compiled to WebAssembly, and no server takes part. With -write it writes the page into a
// folder instead, for any file server.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/resolvent/resolvent/examples/playground/internal/trial"
)

// page has the files that are served as they are.
//
//go:embed page
var page embed.FS

func main() {
	listen := flag.String("listen", "localhost:8080", "serve the page at this `ADDRESS`")
	write := flag.String("write", "", "write the page into this `FOLDER`, and serve nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, *write); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, write string) error {
	if write != "" {
		return build(ctx, write)
	}
	folder, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Fprintln(os.Stderr, "compiling the library to WebAssembly")
	if err := build(ctx, folder); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "http://%s\n", listener.Addr())
	server := &http.Server{Handler: http.FileServerFS(os.DirFS(folder)), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// build writes the page into a folder: its files, the examples, and the library, packed
// with gzip, because not every file server packs what it sends.
func build(ctx context.Context, folder string) error {
	files, err := fs.Sub(page, "page")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := copyFiles(folder, files); err != nil {
		return err
	}
	examples, err := json.Marshal(trial.Examples())
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "examples.json"), examples, 0o644); err != nil {
		return err
	}
	root, err := command(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "wasm_exec.js"), glue, 0o644); err != nil {
		return err
	}
	return library(ctx, folder)
}

func copyFiles(folder string, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name), text, 0o644)
	})
}

// library compiles this package for browsers. Its packed form does not depend on when and
// where that happens. Without inlining it has 6.2 MB instead of 7.3.
func library(ctx context.Context, folder string) error {
	plain := filepath.Join(folder, "library.wasm")
	defer os.Remove(plain)
	if _, err := command(ctx, "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-l", "-ldflags=-s -w", "-o", plain, "github.com/resolvent/resolvent/examples/playground"); err != nil {
		return err
	}
	code, err := os.ReadFile(plain)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed) // BestCompression saves 1 % and takes three times as long
	if _, err := w.Write(code); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(plain+".gz", packed.Bytes(), 0o644)
}

// command runs the go command for browsers.
func command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, complaint.String())
	}
	return string(out), nil
}
