package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
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

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// envChromium names the browser, where it is not on the path by one of its names.
const envChromium = "DUEQUEUE_TEST_CHROMIUM"

// allocator is the browser of all tests; each has a context, as a private window, of its own.
var allocator struct {
	once sync.Once
	ctx  context.Context
	end  func()
	err  error
}

func browser(t *testing.T) context.Context {
	t.Helper()
	allocator.once.Do(func() {
		path := os.Getenv(envChromium)
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
			if path == "" {
				path, _ = exec.LookPath(name)
			}
		}
		if path == "" {
			allocator.err = fmt.Errorf("no Chromium found: install it (Debian: apt-get install chromium) or name it by %s", envChromium)
			return
		}
		opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("disable-gpu", true), chromedp.Flag("lang", "en-GB"), chromedp.WSURLReadTimeout(time.Minute))
		if os.Geteuid() == 0 {
			opts = append(opts, chromedp.NoSandbox)
		}
		all, endAll := chromedp.NewExecAllocator(context.Background(), opts...)
		ctx, end := chromedp.NewContext(all)
		allocator.ctx, allocator.end = ctx, func() { end(); endAll() } //nolint:fatcontext // one for the process
		allocator.err = chromedp.Do(ctx)
	})
	if allocator.err != nil {
		t.Fatal(allocator.err)
	}
	return allocator.ctx
}

func TestMain(m *testing.M) {
	code := m.Run()
	if allocator.end != nil {
		allocator.end()
	}
	os.Exit(code)
}

// tab is a private window of the browser, which must have nothing to complain about.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	outside  []string // addresses that are not the console's
	requests int
	allowed  []string // complaints that the test expects, by a part of their text
}

func open(t *testing.T, server *httptest.Server, options ...step) *tab {
	t.Helper()
	b := &tab{t: t, base: server.URL}
	ctx, end := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests++
			if !strings.HasPrefix(e.Request.URL, b.base+"/") {
				b.outside = append(b.outside, e.Request.URL)
			}
		case *runtime.EventExceptionThrown:
			b.complain("the script fails: %s", e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError {
				b.complain("the script says: %s", e.Args[0].Value)
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError {
				b.complain("the browser says: %s", e.Entry.Text)
			}
		}
	}))
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil { // it opens the window, which lives as long as this context
		t.Fatal(err)
	}
	var cancel func()
	b.ctx, cancel = context.WithTimeout(ctx, 10*time.Minute) // ends a step that waits for what never comes
	t.Cleanup(cancel)
	b.do(command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(1280, 800))
	b.do(options...)
	return b
}

// step is one without a result.
type step = chromedp.Action[chromedp.Void]

// command is one of the protocol.
func command[P, R any](c cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// expect lets the browser complain of what the test does.
func (b *tab) expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allowed = append(b.allowed, part)
}

func (b *tab) complain(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, part := range b.allowed {
		if strings.Contains(text, part) {
			return
		}
	}
	b.t.Error(text)
}

func (b *tab) do(steps ...step) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) visit(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base+path), chromedp.WaitReady("footer"))
}

// eval returns what an expression of the page is, or what it promises.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

func (b *tab) text(selector string) (text string) {
	b.t.Helper()
	quoted, _ := json.Marshal(selector)
	return eval[string](b, "document.querySelector("+string(quoted)+")?.innerText ?? ''")
}

// lookEvery leaves the browser time for its own work while a test waits.
const lookEvery = 50 * time.Millisecond

// await waits until a part of the page says something, without a reload.
func (b *tab) await(selector, want string) {
	b.t.Helper()
	lab.Wait(b.t, func() string {
		said := b.text(selector)
		if strings.Contains(said, want) {
			return ""
		}
		<-time.After(lookEvery)
		return fmt.Sprintf("%s does not say %q but %q", selector, want, said)
	})
}

// hidden lets the page believe that its tab is in front, or is not.
func (b *tab) hidden(on bool) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`Object.defineProperty(document, "hidden", {get: () => %t, configurable: true}); document.dispatchEvent(new Event("visibilitychange"))`, on)))
}

// picture leaves one for people, where they ask for it.
func (b *tab) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("DUEQUEUE_TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// fromOutside returns the addresses that are not the console's.
func (b *tab) fromOutside() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.outside
}

func (b *tab) asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests
}

//go:embed testdata/axe.min.js
var axe string

// violation is what axe finds.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ Target []string }
}

// usable fails where axe finds what hinders people, or the page is wider than its window.
func (b *tab) usable(what string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](axe + ";0"))
	found := eval[[]violation](b, `axe.run().then(r => r.violations.map(v => ({ID: v.id, Impact: v.impact ?? "", Help: v.help, Nodes: v.nodes.map(n => ({Target: n.target.map(String)}))})))`)
	for _, v := range found {
		b.t.Errorf("%s: %s (%s): %s: %v", what, v.ID, v.Impact, v.Help, v.Nodes)
	}
	if wide := eval[int](b, "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
		b.t.Errorf("%s is %d pixels wider than its window", what, wide)
	}
}

func dark(on bool) step {
	value := "light"
	if on {
		value = "dark"
	}
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: value},
		{Name: "prefers-reduced-motion", Value: "reduce"}, // colors change at once
	}})
}

func inQueue(path, queue string, more ...string) string {
	v := url.Values{"q": {queue}}
	for i := 0; i+1 < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return path + "?" + v.Encode()
}
