package look

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const findHelp = `
find looks for a message by what people know of it: its ID, the key of its offer, or a value in
its payload, such as the number of an order. It looks in all partitions, over pending, ready,
in flight and dead, and says where it looked. A value must be equal, as a whole; -field names the fields that
count (orderId, customer.name), all by default. Payloads of Kryo's user classes need -classes.

Of messages that are done it finds what the journal keeps, where the queue declares
registry.Journal: whether a message was handled, died, expired or was cancelled, when, at
which attempt, how late, and by which process.

It reads every payload, in steps, and takes a tenth of a server's time (-share). It stops after
-limit matches, or when you interrupt it; then it says how to go on. The exit code is 1 where
nothing was found.

What Java has taken is gone from Redis and cannot be found.
`

// Find returns the command that looks for a message.
func Find(e *env.Env) *cli.Command {
	f := &find{e: e}
	return e.Command(env.Spec{
		Name: "find", Args: "QUEUE TEXT", Short: "find a message by its ID, its key, or a value in its payload", Group: env.GroupLook, Long: findHelp,
		Examples: []string{"duequeue find ORDERS 4711", "duequeue find ORDERS 4711 -field orderId -classes shop.jar"}, JSON: matchLine{},
		Flags: append([]cli.Flag{
			env.List(&f.fields, "field", "only this `FIELD` counts; may be given several times, or several by comma"),
			env.Int(&f.limit, "limit", 20, "most messages"),
			env.Float(&f.share, "share", admin.DefaultFieldShare, "part of the time for which a server searches, 0.001 to 1"),
			env.String(&f.cursor, "after", "", "go on where a search ended, with what it printed"),
		}, f.payloads.Flags()...),
		Run: f.run,
	})
}

// find is one run.
type find struct {
	e        *env.Env
	fields   []string
	limit    int
	share    float64
	cursor   string
	payloads reading.Payloads

	queue string
	table screen.Table
	shown map[string]bool // by place, ID and entry
}

// matchLine is a message that was found, in JSON.
type matchLine struct {
	Queue  string `json:"queue"`
	Where  string `json:"where"` // pending, ready, in flight, dead, journal
	By     string `json:"by"`    // ID, key, or the path of a field
	ID     string `json:"id,omitempty"`
	Key    string `json:"key,omitempty"`
	Due    string `json:"due,omitempty"`
	Since  string `json:"since,omitempty"` // in flight, dead, journal: when it ended
	Entry  string `json:"entry,omitempty"` // dead
	Reason string `json:"reason,omitempty"`
	Failed int    `json:"failed,omitempty"`
	*endLine
	*reading.Value
}

// endLine is what the journal has of a message.
type endLine struct {
	Outcome string            `json:"outcome"` // handled, dead, expired, cancelled
	Attempt int               `json:"attempt,omitempty"`
	LateMs  *int64            `json:"lateMs,omitempty"` // when its handler started
	Process string            `json:"process,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"` // several values of one by comma
}

func endOf(r *admin.Record) *endLine {
	if r == nil {
		return nil
	}
	l := &endLine{Outcome: r.Outcome, Attempt: r.Attempt, Process: r.Process}
	if r.LateKnown {
		ms := r.Late.Milliseconds()
		l.LateMs = &ms
	}
	for _, v := range r.Fields {
		if l.Fields == nil {
			l.Fields = map[string]string{}
		}
		if before, several := l.Fields[v.Path]; several {
			v.Text = before + "," + v.Text
		}
		l.Fields[v.Path] = v.Text
	}
	return l
}

// told says in a line what the journal tells.
func told(clock screen.Clock, m admin.Match) string {
	r := m.Journal
	parts := []string{r.Outcome + " at " + clock.At(m.Since)}
	if m.Reason != "" {
		parts = append(parts, screen.Clean(m.Reason))
	}
	if r.Attempt > 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", r.Attempt))
	}
	if r.LateKnown {
		parts = append(parts, fmt.Sprintf("%v late", r.Late))
	}
	parts = append(parts, "by "+screen.Clean(r.Process))
	for _, v := range r.Fields {
		parts = append(parts, screen.Clean(v.Path)+"="+screen.Clean(v.Text))
	}
	return strings.Join(parts, ", ")
}

func (f *find) run(ctx context.Context, args []string) error {
	switch {
	case len(args) != 2 || strings.TrimSpace(args[1]) == "":
		return env.Usagef("find: name a queue and what to look for")
	case f.limit < 1:
		return env.Usagef("find: -limit must be positive")
	case f.share < 0.001 || f.share > 1:
		return env.Usagef("find: -share must be from 0.001 to 1")
	}
	if len(f.fields) == 0 {
		f.fields = []string{payload.All}
	}
	f.queue = args[0]
	return f.payloads.With(ctx, f.e, func(ctx context.Context, client *framework.Client) error {
		if f.cursor == "" {
			if err := f.e.Exists(ctx, client, f.queue); err != nil {
				return err
			}
		}
		return f.find(ctx, client, args[1])
	})
}

// find searches and shows what was found.
func (f *find) find(ctx context.Context, client *framework.Client, text string) error {
	f.shown = map[string]bool{}
	f.table.Header("WHERE", "DUE ("+f.e.Clock().Zone()+")", "IN", "BY", "ID", "ENTRY", "PAYLOAD")
	r, err := f.search(ctx, client, text)
	if !f.e.JSON && len(f.shown) > 0 {
		if failed := f.table.Write(f.e.Stdout); failed != nil {
			return failed
		}
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	f.report(text, r, ctx.Err() != nil)
	if ctx.Err() != nil || len(f.shown) == 0 {
		return env.ErrReported
	}
	return nil
}

// search goes on until all was looked at, or enough was found.
func (f *find) search(ctx context.Context, client *framework.Client, text string) (last admin.SearchResult, err error) {
	progress := screen.NewProgress(f.e.Stderr)
	o := admin.SearchOptions{
		Payloads: admin.Payloads{Decode: f.payloads.Decode, SearchFields: f.fields},
		Cursor:   f.cursor, Share: f.share, Most: f.limit, Time: time.Second,
		Progress: func(r admin.SearchResult) {
			progress.Tell("%s so far: %s", screen.Count(len(f.shown), "match"), looked(r))
		},
	}
	for {
		r, err := admin.Search(ctx, client, f.queue, text, o)
		if r.Looked != nil || last.Looked == nil {
			r.ByID, r.ByKey, r.Cut = r.ByID || last.ByID, r.ByKey || last.ByKey, r.Cut || last.Cut
			last = r
		}
		for _, m := range r.Matches {
			if failed := f.match(m); failed != nil {
				return last, failed
			}
		}
		if err != nil || r.Done() || len(f.shown) >= f.limit {
			return last, err
		}
		o.Cursor = r.More
	}
}

func (f *find) match(m admin.Match) error {
	name := fmt.Sprint(m.Place, m.ID, m.Entry)
	if m.ID+m.Entry == "" {
		name += string(m.Body)
	}
	if r := m.Journal; r != nil { // one ID may have been cancelled and handled
		name += fmt.Sprint(r.Outcome, m.Since, m.Key, r.Process)
	}
	if f.shown[name] {
		return nil
	}
	f.shown[name] = true
	if f.e.JSON {
		line := matchLine{
			f.queue, string(m.Place), m.By, m.ID, m.Key, words.Stamp(m.Due), words.Stamp(m.Since), m.Entry, m.Reason, m.Failed, endOf(m.Journal), nil,
		}
		if m.Body != nil {
			value := f.payloads.ValueOf(m.Body)
			line.Value = &value
		}
		return f.e.Line(line)
	}
	where, in := string(m.Place), "-"
	if !m.Due.IsZero() {
		in = screen.Due(m.Due, time.Now())
	}
	if m.Place == admin.PlaceDead {
		where = screen.Red.On("dead, " + screen.Clean(m.Reason))
	}
	summary := ""
	switch {
	case m.Body != nil:
		summary = f.payloads.Summary(m.Body)
	case m.Journal != nil:
		summary = told(f.e.Clock(), m)
	}
	f.table.Row(where, f.e.Clock().At(m.Due), in, screen.Clean(m.By), dash(m.ID), dash(m.Entry), summary)
	return nil
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return screen.Clean(s)
}

// report says on stderr where was looked, and how to go on.
func (f *find) report(text string, r admin.SearchResult, interrupted bool) {
	names := []string{}
	if r.ByID {
		names = append(names, "as an ID")
	}
	if r.ByKey {
		names = append(names, "as a key")
	}
	names = append(names, "in "+looked(r))
	found := "nothing found"
	if len(f.shown) > 0 {
		found = screen.Count(len(f.shown), "match")
		if len(f.shown) > 1 {
			found = fmt.Sprintf("%d matches", len(f.shown))
		}
	}
	f.e.Warn("%s for %s: looked %s", found, screen.Clean(text), strings.Join(names, ", "))
	if r.Cut {
		f.e.Warn("there is too much in flight, ready or dead for one search by ID or key: that one ended early")
	}
	if unread := unreadable(r); unread > 0 {
		f.e.Warn("%s could not be read: give -codec NAME, or -classes FILE.jar with their classes", screen.Count(unread, "payload"))
	}
	if r.More != "" {
		word := "there is more"
		if interrupted {
			word = "interrupted"
		}
		f.e.Warn("%s: -after %s goes on", word, r.More)
	}
}

func unreadable(r admin.SearchResult) (n int64) {
	for _, l := range r.Looked {
		n += l.Unreadable
	}
	return n
}

// looked says how many messages were looked at in each place.
func looked(r admin.SearchResult) string {
	var parts []string
	for _, l := range r.Looked {
		part := fmt.Sprintf("%d %s", l.Seen, l.Place)
		if !l.Done && l.Seen < l.Of {
			part = fmt.Sprintf("%d of %d %s", l.Seen, l.Of, l.Place)
		}
		parts = append(parts, part)
	}
	return strings.Join(slices.Clip(parts), ", ")
}
