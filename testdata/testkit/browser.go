package testkit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Browser is a tab of a real browser, driven through pipes by the DevTools protocol.
type Browser struct {
	t       *testing.T
	to      io.Writer
	pipe    *os.File // that from reads
	from    *bufio.Reader
	session string
	id      int
	// Complaints are exceptions, messages on the console and dialogs.
	Complaints []string
}

// message is an answer, or an event if it has a method.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// complaining are the events that a page should not cause.
var complaining = map[string]bool{
	"Runtime.exceptionThrown": true, "Runtime.consoleAPICalled": true, "Log.entryAdded": true,
	"Page.javascriptDialogOpening": true,
}

// StartBrowser opens an empty tab, or skips the test if there is no browser.
func StartBrowser(t *testing.T) *Browser {
	t.Helper()
	cmd := exec.Command(Installed(t, "chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	theirIn, ours, err := os.Pipe()
	require.NoError(t, err)
	theirs, theirOut, err := os.Pipe()
	require.NoError(t, err)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	require.NoError(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &Browser{t: t, to: ours, pipe: theirs, from: bufio.NewReader(theirs)}
	t.Cleanup(func() {
		io.WriteString(ours, `{"id":0,"method":"Browser.close"}`+"\x00")
		if _, err := io.Copy(io.Discard, b.from); err != nil {
			cmd.Process.Kill()
		}
		cmd.Wait()
		ours.Close()
		theirs.Close()
	})
	var target struct{ TargetID string }
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.Call(domain+".enable", nil, nil)
	}
	return b
}

// Call asks the browser for something and waits for the answer.
func (b *Browser) Call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.id++
	command := map[string]any{"id": b.id, "method": method, "params": params}
	if params == nil {
		command["params"] = map[string]any{}
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	require.NoError(b.t, err)
	_, err = b.to.Write(append(text, 0))
	require.NoError(b.t, err)
	m := b.next(func(m message) bool { return m.ID == b.id })
	require.Empty(b.t, string(m.Error), method)
	if result != nil {
		require.NoError(b.t, json.Unmarshal(m.Result, result))
	}
}

// next waits for a message, and notes complaints on the way.
func (b *Browser) next(wanted func(message) bool) message {
	b.t.Helper()
	require.NoError(b.t, b.pipe.SetReadDeadline(time.Now().Add(time.Minute)))
	for {
		text, err := b.from.ReadBytes(0)
		require.NoError(b.t, err)
		var m message
		require.NoError(b.t, json.Unmarshal(text[:len(text)-1], &m))
		if complaining[m.Method] {
			b.Complaints = append(b.Complaints, m.Method+" "+string(m.Params))
		}
		if wanted(m) {
			return m
		}
	}
}

// Open shows a page, read from a file.
func (b *Browser) Open(page []byte) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "page.html")
	require.NoError(b.t, os.WriteFile(file, page, 0o600))
	address := url.URL{Scheme: "file", Path: file}
	b.Navigate(address.String())
}

// Navigate shows the page at an address.
func (b *Browser) Navigate(address string) {
	b.t.Helper()
	b.Call("Page.navigate", map[string]any{"url": address}, nil)
	b.next(func(m message) bool { return m.Method == "Page.loadEventFired" })
}

// Eval is the value of an expression of JavaScript.
func (b *Browser) Eval(expression string) any {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails any
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	require.Nil(b.t, got.ExceptionDetails, expression)
	return got.Result.Value
}

// Press presses a key.
func (b *Browser) Press(key, text string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "text": text, "windowsVirtualKeyCode": code}, nil)
	}
}

// TabTo presses the tabulator until an element has the focus that matches a selector.
func (b *Browser) TabTo(selector string) {
	b.t.Helper()
	for range 40 {
		b.Press("Tab", "", 9)
		if b.Eval(fmt.Sprintf("document.activeElement.matches(%q)", selector)) == true {
			return
		}
	}
	b.t.Fatalf("the keyboard does not reach %s", selector)
}

// Size sets the width of the window.
func (b *Browser) Size(width int) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Picture is what the window shows, as WebP.
func (b *Browser) Picture() []byte {
	b.t.Helper()
	var got struct{ Data []byte }
	b.Call("Page.captureScreenshot", map[string]any{"format": "webp", "quality": 75}, &got)
	return got.Data
}
