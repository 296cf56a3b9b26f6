// Package browsertest opens pages of Weir in a headless Chromium, for tests. It notes what a page asks for and what goes wrong in
// it, and looks at it as those do who cannot see it well.
package browsertest

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience bounds everything that is waited for.
const patience = 30 * time.Second

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// Start starts a browser that ends with the test.
func Start(t testing.TB) *Browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.DisableGPU)
	if program := os.Getenv("WEIR_CHROMIUM"); program != "" {
		options = append(options, chromedp.ExecPath(program))
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // its sandbox does not run as root
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(func() { stop(); end() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start Chromium: %v; install it with deployments/sandbox/install.sh browser", err)
	}
	return &Browser{ctx}
}

// Look says how a page is looked at.
type Look struct {
	Width, Height int64
	Dark          bool
}

// Page is a tab.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	problems []string
}

// Open loads the address in a tab of its own, which closes with the test.
func (b *Browser) Open(t testing.TB, at string, look Look) *Page {
	t.Helper()
	ctx, stop := chromedp.NewContext(b.ctx)
	t.Cleanup(stop)
	p := &Page{t: t, ctx: ctx}
	if err := errors.Join(chromedp.Do(ctx), chromedp.Listen(ctx, p.note)); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	p.run(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}), look.apply(), chromedp.Navigate(at))
	return p
}

// Look changes how the page is looked at.
func (p *Page) Look(look Look) {
	p.t.Helper()
	p.run(look.apply())
}

func (l Look) apply() chromedp.Action[chromedp.Void] {
	scheme := "light"
	if l.Dark {
		scheme = "dark"
	}
	return chromedp.Steps(
		chromedp.EmulateViewport(l.Width, l.Height),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}),
	)
}

// call makes a step of a command of the protocol.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	})
}

// note is called for everything that happens in the tab, and must not wait.
func (p *Page) note(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			p.problems = append(p.problems, "console."+string(e.Type))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.problems = append(p.problems, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Exception.Description
	}
	return d.Text
}

func (p *Page) run(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	do(p, chromedp.Steps(steps...))
}

// do runs an action within a time.
func do[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, done := context.WithTimeout(p.ctx, patience)
	defer done()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("in the browser: %v; %s", err, strings.Join(p.Problems(), "; "))
	}
	return value
}

// Eval evaluates an expression, which may be a promise.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return do(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Text is that of the first element which a selector finds.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return Eval[string](p, "document.querySelector("+strconv.Quote(selector)+").innerText.trim()")
}

// Wait returns when an expression is true.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	came := Eval[bool](p, `new Promise((come) => {
		const until = Date.now() + 20000, timer = setInterval(() => {
			const is = Boolean(`+expression+`);
			if (is || Date.now() > until) { clearInterval(timer); come(is); }
		}, 20);
	})`)
	if !came {
		p.t.Fatalf("the page never came to %s; %s", expression, strings.Join(p.Problems(), "; "))
	}
}

// Press presses a key while an element has the focus.
func (p *Page) Press(selector, key string) {
	p.t.Helper()
	Eval[bool](p, "document.querySelector("+strconv.Quote(selector)+").focus(), true")
	p.run(chromedp.KeyEvent(key))
}

// Picture writes all of the page to a PNG.
func (p *Page) Picture(file string) {
	p.t.Helper()
	if err := os.WriteFile(file, do(p, chromedp.FullScreenshot(100)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// Problems are what was written to the console as an error or a warning, exceptions, and what was blocked or not found.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.problems...)
}

// Strangers are the addresses that the page asked which are not home's.
func (p *Page) Strangers(home string) (strangers []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, asked := range p.requests {
		u, err := url.Parse(asked)
		if err != nil || u.Scheme != "data" && u.Scheme+"://"+u.Host != home { // a password may be in between
			strangers = append(strangers, asked)
		}
	}
	return strangers
}
