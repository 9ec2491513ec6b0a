package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/web"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// drawn finds a chart, and what its server-made SVG shows, in a page; the values of bars stand in
// their titles, those of lines in the heights of their paths.
const drawn = `
const figure = document.getElementById(%q).parentNode, u = figure.uplot, svg = figure.querySelector("svg");
const data = JSON.parse(figure.querySelector("[data-plot]").dataset.plot);
const bars = [...svg.querySelectorAll("title")].map(t => parseInt(t.textContent.replaceAll("\u202f", "")));
const path = svg.querySelector(".stroke")?.getAttribute("d").split(/[ML]/).slice(1).map(p => p.split(" ").map(Number)) ?? [];
const same = (a, b, give = 0) => a.length === b.length && a.every((v, i) => Math.abs(v - b[i]) <= give);
const top = Math.max(...data.values) || 1, [x0, x1] = [data.at[0], data.at.at(-1)];
const pixel = () => { // of what is drawn of the highest value, below its top
  const i = data.values.indexOf(top), [x, y] = [u.valToPos(data.at[i] + (data.step ?? 0) / 2, "x", true), u.valToPos(top / 2, "y", true)];
  return [...u.ctx.getImageData(x, y, 1, 1).data.slice(0, 3)].join();
};
`

// chart returns what an expression says of a chart, false where there is none yet.
func chart[T any](b *tab, id, expression string) (out T) {
	b.t.Helper()
	return eval[T](b, fmt.Sprintf("(() => {%s\nreturn %s})()", fmt.Sprintf(drawn, id), expression))
}

// awaits waits until something is so of a chart, without a reload.
func (b *tab) awaits(id, condition string) {
	b.t.Helper()
	lab.Wait(b.t, func() string {
		if chart[bool](b, id, "!!u && ("+condition+")") {
			return ""
		}
		<-time.After(lookEvery)
		return fmt.Sprintf("%s: not %s; its numbers: %s", id, condition, chart[string](b, id, "JSON.stringify(data)"))
	})
}

// uPlot draws the very points of the SVG, goes on with a queue that changes, says what the cursor
// points at, also by the keyboard, and follows theme and width.
func TestCharts(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	client := connect(t, srv, true)
	q := registry.Define[string]("ORDERS", "unpaid", registry.Codec(codecs.String()))
	bound := framework.Bind(client, q)
	offer := func(n int, delay time.Duration) {
		t.Helper()
		for i := range n {
			if _, err := bound.Offer(t.Context(), "x", delay*time.Duration(i+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
	offer(20, 150*time.Second) // the first long after the test, all within the hour
	serve(t, connect(t, srv, false), framework.Consume(q, handlers.Func[string](func(context.Context, *handlers.Delivery[string]) error { return nil })))
	processes := func() []admin.Process {
		t.Helper()
		p, err := admin.ProcessesNow(t.Context(), client, "ORDERS")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	lab.WaitFor(t, "the process says nothing", func() bool { return len(processes()) == 1 })
	console, err := web.New(client, web.Options{
		Queues: []registry.Descriptor{q}, Budget: 0.5, Log: slog.New(slog.DiscardHandler),
		Authorize: func(*http.Request) (web.User, error) { return web.User{Name: "ann", Role: web.RoleLook}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = console.Close() })
	server := httptest.NewServer(console)
	t.Cleanup(server.Close)
	b := open(t, server, command(emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/St_Johns"}), dark(false))
	b.visit("/queue?q=ORDERS")
	b.awaits("plot-due", `same(u.data[0], data.at) && same(u.data[1], data.values) && same(bars, data.values) && data.values.reduce((a, b) => a + b) === 20`)
	if got := chart[string](b, "plot-due", `(u.mark = "still the same", pixel())`); got != "15,118,110" {
		t.Errorf("light bars are %s, not the color --accent", got)
	}

	// The queue changes: the process has handled 30, and says so as it is paused.
	offer(30, 0)
	offer(7, 5*time.Minute)
	lab.WaitFor(t, "30 are not handled", func() bool {
		n, err := bound.Counts(t.Context())
		return err == nil && n.Ready+n.InFlight == 0 && n.Delayed == 27
	})
	if _, err := admin.Pause(t.Context(), client, "ORDERS", admin.PauseOptions{Reason: "stocktaking"}); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, "the process does not say that it has handled 30", func() bool { p := processes(); return len(p) == 1 && p[0].Handled == 30 })
	b.awaits("plot-due", `u.mark === "still the same" && u.data[1].reduce((a, b) => a + b) === 27 && same(u.data[1], data.values)`)
	b.awaits("plot-pending", `u.data[1].at(-1) === 27`)
	b.awaits("plot-handled", `u.data[1].at(-1) > 0`)
	for _, id := range []string{"plot-handled", "plot-lag", "plot-ready", "plot-pending", "plot-in-flight"} {
		b.awaits(id, `same(u.data[0], data.at) && same(u.data[1], data.values)
			&& same(path.map(p => p[0]), data.at.map(at => (at - x0) / (x1 - x0) * 360), .051) && same(path.map(p => p[1]), data.values.map(v => 62.5 - v / top * 61), .051)`)
	}
	if said := b.text("#plot-handled-now"); !strings.Contains(said, "a second") || strings.Contains(said, "Handled 0 a second") {
		t.Errorf("Handled says %q", said)
	}
	b.usable("drawn charts in light")
	b.picture("charts-light")

	b.hidden(true) // nothing changes from here on but what the test does

	// What the cursor points at, in the viewer's zone and in UTC; at the same moment in all lines.
	chart[bool](b, "plot-handled", `u.over.dispatchEvent(new MouseEvent("mousemove", {clientX: u.over.getBoundingClientRect().right - 1, clientY: u.over.getBoundingClientRect().top + 5, bubbles: true}))`)
	for id, value := range map[string]string{"plot-handled": "/s", "plot-pending": "Pending27"} {
		said := chart[[]string](b, id, `(at => [figure.querySelector(".u-legend").innerText, at.toLocaleTimeString(undefined, {timeZone: "America/St_Johns"}), at.toISOString().slice(11, 19) + " UTC"])(new Date(x1))`)
		for _, want := range append(said[1:], value) {
			if !strings.Contains(said[0], want) {
				t.Errorf("%s: the legend says %q, without %s", id, said[0], want)
			}
		}
	}
	// The keyboard reaches each bar, and leaves.
	b.do(chromedp.Focus("#plot-due ~ .uplot"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	if said := chart[[]string](b, "plot-due", `[u.root.getAttribute("aria-valuetext"), data.values[1] + ", ", new Date(data.at[1]).toLocaleTimeString() + " to"]`); !strings.HasPrefix(said[0], said[1]) || !strings.Contains(said[0], said[2]) {
		t.Errorf("the second bar is said to be %q, not %q", said[0], said[1:])
	}
	b.do(chromedp.KeyEvent("\t"))
	if chart[bool](b, "plot-due", "figure.contains(document.activeElement)") {
		t.Error("the keyboard does not leave the chart")
	}

	b.do(dark(true))
	b.awaits("plot-due", `pixel() === "45,188,174"`)
	b.usable("drawn charts in dark")
	b.picture("charts-dark")
	b.do(chromedp.EmulateViewport(375, 800, chromedp.EmulateMobile))
	for _, id := range []string{"plot-due", "plot-handled"} {
		b.awaits(id, `u.width <= 345 && u.width === figure.clientWidth`)
	}
	b.usable("drawn charts on a phone")
	b.picture("charts-phone")
}
