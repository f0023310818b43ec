package page

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a tab of a browser that nobody sees.
type tab struct {
	*testing.T
	ctx context.Context
}

// newTab opens a file.
func newTab(t *testing.T, file string) tab {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return openTab(t, "file://"+path)
}

// openTab opens a page. Whatever the page asks for elsewhere, and each error of its
// script, is an error of the test.
func openTab(t *testing.T, address string) tab {
	t.Helper()
	own, _, _ := strings.Cut(address, "#")
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Fatal("there is no chromium; install Debian's package of that name")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := tab{t, ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, own) {
				t.Errorf("the page asks for %.100s", e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			t.Errorf("the script fails: %v", e.ExceptionDetails)
		}
	})
	p.do(network.Enable(), chromedp.Navigate(address), chromedp.WaitReady("body"))
	return p
}

func (p tab) do(actions ...chromedp.Action) {
	p.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// frame waits until the page has drawn the script's changes.
func (p tab) frame() {
	p.Helper()
	var done bool
	p.do(chromedp.Evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, &done,
		func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
}

// says evaluates an expression that is a text.
func (p tab) says(expression string) string {
	p.Helper()
	var text string
	p.do(chromedp.Evaluate(expression, &text))
	return text
}

// wants compares the value of an expression with the wanted one.
func (p tab) wants(expression, want string) {
	p.Helper()
	p.frame()
	if got := p.says(expression); got != want {
		p.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// look gives the page a width and a colour scheme.
func (p tab) look(width int64, scheme string) {
	p.Helper()
	p.do(emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
	p.frame()
}

// shoot writes a picture of the whole page, if RESOURCE_MERGE_PICTURES names a
// directory for it.
func (p tab) shoot(name string) {
	p.Helper()
	dir := os.Getenv("RESOURCE_MERGE_PICTURES")
	if dir == "" {
		return
	}
	var picture []byte
	p.do(chromedp.FullScreenshot(&picture, 100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		p.Fatal(err)
	}
}
