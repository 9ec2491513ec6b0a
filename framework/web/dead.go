package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	payloadview "github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
)

// Bounds of the pages of dead letters.
const (
	groupsFresh = 15 * time.Second // until they are grouped anew
	maxGrouped  = 20               // queues whose groups are remembered
	deadLook    = 2000             // letters that one page of a filter looks at
)

func (c *Console) deadPage() page {
	return page{path: "/dead", params: []string{"group", "reasons", "text", "class", "all", "after", "since"}, name: "Dead letters", at: inQueue, role: RoleLook, template: "dead.html", get: c.dead}
}

func (c *Console) deadEntryPage() page {
	return page{path: "/dead/entry", params: []string{"entry"}, name: "Dead letter", at: nowhere, role: RoleLook, post: true, template: "deadentry.html", get: c.deadEntry}
}

// deadGroups remember the groups of queues, which many looks make.
type deadGroups struct {
	mu  sync.Mutex
	all map[string]*groupsOf
}

type groupsOf struct {
	turn  chan struct{} // holds one while a request looks at letters, or at what was found
	so    admin.DeadGroups
	shown admin.DeadGroups // the last that were whole, or so
	at    time.Time        // when so was whole
	asked time.Time
}

func (g *deadGroups) of(queue string) *groupsOf {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil {
		g.all = map[string]*groupsOf{}
	}
	if g.all[queue] == nil && len(g.all) >= maxGrouped {
		oldest := ""
		for name, o := range g.all {
			if oldest == "" || o.asked.Before(g.all[oldest].asked) {
				oldest = name
			}
		}
		delete(g.all, oldest)
	}
	if g.all[queue] == nil {
		g.all[queue] = &groupsOf{turn: make(chan struct{}, 1)}
	}
	g.all[queue].asked = time.Now()
	return g.all[queue]
}

// groupsIn returns the groups of a queue, as far as they are known.
func (c *Console) groupsIn(ctx context.Context, queue string) (admin.DeadGroups, error) {
	g := c.groups.of(queue)
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return admin.DeadGroups{}, context.Cause(ctx)
	}
	switch {
	case g.so.Done && time.Since(g.at) < groupsFresh:
		return g.shown, nil
	case g.so.Done:
		g.so = admin.DeadGroups{} // what was put back or deleted since is no longer counted
	}
	var err error
	g.so, err = admin.GroupDead(c.searching.Of(ctx, ""), c.client, queue, g.so, admin.DeadGroupsOptions{Payloads: c.payloadsOf(queue), Time: c.options.searchTime / 2, Share: c.options.SearchBudget})
	if g.so.Done || !g.shown.Done {
		g.shown = g.so
	}
	if g.so.Done {
		g.at = time.Now()
	}
	return g.shown, err
}

type deadData struct {
	Groups admin.DeadGroups
	Since  time.Time
	News   []navLink // choices of since
	Runs   []run

	// With a filter:
	Filter              string // in words
	Fields              [][2]string
	Rows                []deadRow
	Looked              int
	Large               int // letters that were not searched for a class
	Further             string
	Group               *admin.DeadGroup
	Reason, Text, Class string
}

type deadRow struct {
	framework.DeadMessage
	Summary string
	Cut     bool // only the beginning of the payload was read
}

var newSince = []struct{ name, text string }{{"15 min", "15m"}, {"1 h", "1h"}, {"1 day", "24h"}}

func (c *Console) dead(r *request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*c.options.searchTime)
	defer cancel()
	d := deadData{Runs: c.runsOf(r), Reason: r.query.Get("reasons"), Text: r.query.Get("text"), Class: r.query.Get("class")}
	f, group, filtered, err := c.deadFilter(ctx, r)
	if err != nil {
		return nil, err
	}
	if filtered {
		d.Group = group
		err = c.deadRows(ctx, r, &d, f)
		return d, err
	}
	since := r.query.Get("since")
	if ago, bad := time.ParseDuration(since); bad == nil && ago > 0 {
		d.Since = time.Now().Add(-ago)
	}
	for _, n := range newSince {
		d.News = append(d.News, navLink{Name: n.name, To: c.link("/dead", "q", r.queue, "since", n.text), Here: n.text == since})
	}
	d.Groups, err = c.groupsIn(ctx, r.queue)
	if err != nil && d.Groups.Seen > 0 {
		r.stale, err = err, nil // a look again goes on
	}
	d.Groups.Groups = append([]admin.DeadGroup(nil), d.Groups.Groups...)
	for i := range d.Groups.Groups {
		g := &d.Groups.Groups[i]
		g.New = !d.Since.IsZero() && !g.First.Before(d.Since)
	}
	return d, err
}

// deadFilter returns what the parameters choose, the group that is among it, and whether they
// choose anything.
func (c *Console) deadFilter(ctx context.Context, r *request) (f framework.DeadFilter, group *admin.DeadGroup, filtered bool, err error) {
	if key := r.query.Get("group"); key != "" {
		groups, err := c.groupsIn(ctx, r.queue)
		if err != nil {
			return f, nil, false, err
		}
		at := slices.IndexFunc(groups.Groups, func(g admin.DeadGroup) bool { return g.Key == key })
		if at < 0 {
			return f, nil, false, refuse(http.StatusNotFound, "There is no such group any more")
		}
		group = &groups.Groups[at]
		f, filtered = group.Filter(c.payloadsOf(r.queue)), true
	}
	f.After = r.query.Get("after")
	if reason := r.query.Get("reasons"); reason != "" {
		f.Reasons, filtered = strings.Fields(reason), true
	}
	if text := strings.TrimSpace(r.query.Get("text")); text != "" {
		f.Text, filtered = text, true
	}
	if class := strings.TrimSpace(r.query.Get("class")); class != "" {
		f, filtered = c.ofClass(f, r.queue, class), true
	}
	return f, group, filtered || r.query.Get("all") != "", nil
}

// ofClass returns a filter that also wants a class: the one that a payload is decoded to, by its
// whole name or the part behind the last dot. DeadFilter.Class would look for the text in all bytes,
// and so reveal fields that are hidden.
func (c *Console) ofClass(f framework.DeadFilter, queue, class string) framework.DeadFilter {
	before, read := f.Choose, c.payloadsOf(queue).Decode
	f.Group = strings.Join(slices.DeleteFunc([]string{f.Group, "of class " + class}, func(s string) bool { return s == "" }), " ")
	f.Choose = func(m framework.DeadMessage) bool {
		if before != nil && !before(m) {
			return false
		}
		if m.Bytes > admin.MostRead {
			return false
		}
		of := payloadview.Class(read(m.Body))
		return of != "" && (of == class || strings.HasSuffix(of, "."+class) || strings.HasSuffix(of, "$"+class))
	}
	return f
}

// deadRows reads the letters that a filter chooses, oldest first.
func (c *Console) deadRows(ctx context.Context, r *request, d *deadData, f framework.DeadFilter) error {
	ctx = c.searching.Of(ctx, r.user.Name)
	d.Filter = f.String()
	for _, name := range []string{"group", "reasons", "text", "class", "all"} {
		if v := r.query.Get(name); v != "" {
			d.Fields = append(d.Fields, [2]string{name, v})
		}
	}
	q, err := c.queueOf(ctx, r)
	if err != nil {
		return err
	}
	after, most := f.After, tableBytes
	if f.Choose != nil { // by class
		most = admin.MostRead
	}
	for began := time.Now(); d.Looked < deadLook && len(d.Rows) < pageRows && time.Since(began) < c.options.searchTime; {
		page, err := q.Dead().Beginnings(ctx, after, 100, most)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, m := range page {
			if d.Looked++; f.Matches(m) {
				row := deadRow{DeadMessage: m, Cut: m.Bytes > tableBytes, Summary: tooLarge}
				if !row.Cut {
					shown, _ := c.row(r.queue, m.Body, nil)
					row.Summary = shown.Summary
				}
				row.Body = nil
				d.Rows = append(d.Rows, row)
			} else if d.Class != "" && m.Bytes > admin.MostRead {
				d.Large++
			}
			if after = m.Entry; len(d.Rows) == pageRows {
				break
			}
		}
	}
	pairs := []string{"q", r.queue, "after", after}
	for _, f := range d.Fields {
		pairs = append(pairs, f[0], f[1])
	}
	d.Further = c.link("/dead", pairs...)
	return nil
}

type deadEntryData struct {
	framework.DeadMessage
	Payload             shownPayload
	Revealed, MayReveal bool
}

// deadEntry shows one dead letter with all its deaths. A POST shows hidden values too, and is
// audited.
func (c *Console) deadEntry(r *request) (any, error) {
	entry := r.query.Get("entry")
	if r.queue == "" || entry == "" {
		return nil, refuse(http.StatusBadRequest, "This needs a queue and an entry")
	}
	d := deadEntryData{MayReveal: r.user.on(r.queue) >= RoleSupport}
	revealed, err := c.reveal(r, func(ctx context.Context) (string, error) {
		q, err := c.queueOf(ctx, r)
		if err != nil {
			return "", err
		}
		d.DeadMessage, err = q.Dead().Get(ctx, entry)
		return "", deadError(err)
	})
	if err != nil {
		return nil, err
	}
	d.Revealed, d.Payload = revealed, c.showPayload(r.queue, d.Body, revealed)
	return d, nil
}

// deadError returns the error of a change of dead letters as people see it.
func deadError(err error) error {
	switch {
	case errors.Is(err, fault.ErrNoEntry):
		return refuse(http.StatusNotFound, "There is no such dead letter: it was put back or deleted")
	case errors.Is(err, fault.ErrMalformedEntry):
		return refuse(http.StatusConflict, "This is no payload but an element that fits no layout: it stays, unless duequeue dead redrive -malformed puts it back")
	}
	return err
}

// chosen returns what a form chooses, of which everything must be said.
func (c *Console) chosen(ctx context.Context, r *request) (*framework.Queue[[]byte], framework.DeadFilter, error) {
	f, _, filtered, err := c.deadFilter(ctx, r)
	if err == nil && !filtered {
		err = refuse(http.StatusBadRequest, "Say which: a group, a filter or all")
	}
	if err != nil {
		return nil, f, err
	}
	q, err := c.queueOf(ctx, r)
	return q, f, err
}

func (c *Console) deadExportPage() page {
	return page{path: "/dead/export", params: []string{"entry", "group", "reasons", "text", "class", "all", "after"}, name: "Export", at: nowhere, role: RoleSupport, post: true, template: "error.html", get: c.deadExport}
}

// deadExport is a file of letters with their payloads, hidden fields too: of one, or of what a
// filter chooses, the oldest first. So it is a POST with a reason, in the audit.
func (c *Console) deadExport(r *request) (any, error) {
	if r.Method != http.MethodPost || r.queue == "" {
		return nil, refuse(http.StatusBadRequest, "An export has hidden fields, too: use the form of the dead letters, which asks for a reason")
	}
	letters, err := c.letters(r)
	if err != nil {
		return nil, err
	}
	return &download{name: "dead-letters.jsonl", kind: "application/jsonl", verb: "export", write: func(ctx context.Context, w io.Writer) (string, error) {
		lines, n, pace := json.NewEncoder(w), 0, c.pace()
		lines.SetEscapeHTML(false) // as the command line writes them
		for m, err := range letters(ctx) {
			if err == nil {
				err = pace.Next(ctx)
			}
			if err == nil {
				err = lines.Encode(deadletter.ExportOf(r.queue, m))
			}
			if err != nil {
				return fmt.Sprintf("%d exported", n), err
			}
			n++
		}
		return fmt.Sprintf("%d exported", n), nil
	}}, nil
}

// letters are those that a form chooses: one by its entry, or what a filter chooses.
func (c *Console) letters(r *request) (func(ctx context.Context) iter.Seq2[framework.DeadMessage, error], error) {
	entry := r.query.Get("entry")
	if entry == "" {
		q, f, err := c.chosen(r.Context(), r)
		return func(ctx context.Context) iter.Seq2[framework.DeadMessage, error] { return q.Dead().All(ctx, f) }, err
	}
	q, err := c.queueOf(r.Context(), r)
	return func(ctx context.Context) iter.Seq2[framework.DeadMessage, error] {
		return func(yield func(framework.DeadMessage, error) bool) {
			m, failed := q.Dead().Get(ctx, entry)
			yield(m, deadError(failed))
		}
	}, err
}
