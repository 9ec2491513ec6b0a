package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

const deadHelp = `
A message that cannot be handled goes to the dead store of its queue, with its
bytes and the reason. QUEUE is the name that Java gives to getBlockingQueue.

  list QUEUE              entries, oldest first: -limit, -after ENTRY, -reason
  show QUEUE ENTRY        one entry with its bytes, and which codec may have
                          written them; "duequeue decode" tells more
  redrive QUEUE ENTRY...  put entries back to the end of the ready list, as new
                          messages without attempts; after the cause is mended
  redrive -all QUEUE      all of them, at -rate a second: -reason, -limit
  drop QUEUE ENTRY...     delete entries for good
  drop -all QUEUE         all of them: -reason, -limit

Malformed entries are elements that fit no layout of Redisson's, not payloads:
redrive leaves them where they are unless -malformed says otherwise.

-json prints one line of JSON for each entry, or for what was done. The exit code
is 1 when an entry was not there or not put back.

Where Redis is, is read from the environment as services do (DUEQUEUE_REDIS_…,
DUEQUEUE_NAME_…).
`

func deadCommand() command {
	return command{
		name:  "dead",
		args:  "list|show|redrive|drop QUEUE [ENTRY...]",
		short: "look at messages that died, put them back or drop them",
		long:  deadHelp,
		setup: func(fs *flag.FlagSet) func(context.Context, *env, []string) error {
			d := &deadRun{flags: fs}
			d.register()
			return d.run
		},
	}
}

// deadRun is one run of the dead command.
type deadRun struct {
	flags     *flag.FlagSet
	all       bool
	malformed bool
	reason    string
	after     string
	limit     int
	rate      float64

	e      *env
	client *framework.Client
	queue  *registry.Queue[[]byte]
	failed bool
}

func (d *deadRun) register() {
	fs := d.flags
	fs.BoolVar(&d.all, "all", false, "redrive, drop: all entries")
	fs.BoolVar(&d.malformed, "malformed", false, "redrive: malformed entries, too")
	fs.StringVar(&d.reason, "reason", "", "only entries with this `REASON`: rejected, exhausted, undecodable …")
	fs.StringVar(&d.after, "after", "", "list: begin after this `ENTRY`")
	fs.IntVar(&d.limit, "limit", 0, "most entries; list: 100 by default, otherwise no limit")
	fs.Float64Var(&d.rate, "rate", framework.DefaultRedriveRate, "redrive -all: entries a second; 0 is no limit")
}

func (d *deadRun) run(ctx context.Context, e *env, args []string) (err error) {
	if len(args) == 0 {
		return usagef("dead: say what: list, show, redrive or drop")
	}
	what := args[0]
	// Flags may follow the word, too: "dead list -limit 5 QUEUE".
	if err = d.flags.Parse(args[1:]); err != nil {
		return &usageError{err: err}
	}
	args = d.flags.Args()
	if err = d.check(what, args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	d.e, d.queue = e, registry.Define[[]byte](args[0], "", registry.Codec(codecs.ByteArray()))
	if d.client, err = e.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.client.Close()) }()
	switch what {
	case "list":
		err = d.list(ctx)
	case "show":
		err = d.show(ctx, args[1])
	case "redrive":
		err = d.redrive(ctx, args[1:])
	case "drop":
		err = d.drop(ctx, args[1:])
	}
	if err == nil && d.failed {
		return errReported
	}
	return err
}

func (d *deadRun) check(what string, args []string) error {
	entries := len(args) - 1
	switch {
	case what != "list" && what != "show" && what != "redrive" && what != "drop":
		return usagef("dead: there is no %q: list, show, redrive or drop", what)
	case entries < 0:
		return usagef("dead %s: no queue given", what)
	case what == "list" && entries > 0, what == "show" && entries != 1:
		return usagef("dead %s: %d entries given", what, entries)
	case (what == "redrive" || what == "drop") && d.all == (entries > 0):
		return usagef("dead %s: name entries, or say -all", what)
	case !d.all && what != "list" && (d.reason != "" || d.limit != 0):
		return usagef("dead %s: -reason and -limit go with list and -all", what)
	case d.limit < 0 || d.rate < 0:
		return usagef("dead %s: -limit and -rate must not be negative", what)
	}
	return nil
}

// each calls f with the entries that the flags choose, page by page.
func (d *deadRun) each(ctx context.Context, after string, limit int, f func(m framework.DeadMessage) error) error {
	for n := 0; ; {
		page, err := framework.DeadMessages(ctx, d.client, d.queue, after, 100)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, m := range page {
			after = m.Entry
			if d.reason != "" && m.Reason != d.reason {
				continue
			}
			if limit > 0 && n == limit {
				return nil
			}
			n++
			if err := f(m); err != nil {
				return err
			}
		}
	}
}

func (d *deadRun) list(ctx context.Context) error {
	limit := d.limit
	if limit == 0 {
		limit = 100
	}
	return d.each(ctx, d.after, limit, func(m framework.DeadMessage) error {
		if d.e.json {
			return d.json(d.line(m, false))
		}
		_, err := fmt.Fprintf(d.e.stdout, "%s  %s  %-11s  %d bytes, %d delivered, %d failed  %s\n",
			m.Entry, stamp(m.At), clean(m.Reason), len(m.Body), m.Delivered, m.Failed, clean(m.Detail))
		return err
	})
}

// deadLine is an entry in JSON.
type deadLine struct {
	Entry     string     `json:"entry"`
	Reason    string     `json:"reason"`
	Detail    string     `json:"detail,omitempty"`
	ID        string     `json:"id,omitempty"`
	Due       string     `json:"due,omitempty"`
	At        string     `json:"at,omitempty"`
	Bytes     int        `json:"bytes"`
	Delivered int        `json:"delivered"`
	Failed    int        `json:"failed"`
	Died      int        `json:"died"`
	Body      string     `json:"body,omitempty"` // hex
	Codecs    []deadSeen `json:"codecs,omitempty"`
}

// deadSeen is a codec that may have written the body.
type deadSeen struct {
	Codec      string `json:"codec"`
	Confidence string `json:"confidence"`
	Why        string `json:"why"`
}

func (d *deadRun) line(m framework.DeadMessage, body bool) deadLine {
	l := deadLine{
		Entry: m.Entry, Reason: m.Reason, Detail: m.Detail, ID: string(m.ID), Due: stamp(m.Due), At: stamp(m.At),
		Bytes: len(m.Body), Delivered: m.Delivered, Failed: m.Failed, Died: m.Died,
	}
	if body {
		l.Body = hex.EncodeToString(m.Body)
		for _, c := range sniff.Guess(m.Body) {
			l.Codecs = append(l.Codecs, deadSeen{c.Codec, c.Confidence.String(), c.Why})
		}
	}
	return l
}

func (d *deadRun) json(v any) error {
	return json.NewEncoder(d.e.stdout).Encode(v)
}

func (d *deadRun) show(ctx context.Context, entry string) error {
	m, err := framework.FindDead(ctx, d.client, d.queue, entry)
	if err != nil {
		return err
	}
	l := d.line(m, true)
	if d.e.json {
		return d.json(l)
	}
	w := d.e.stdout
	fmt.Fprintf(w, "entry      %s\nreason     %s\ndetail     %s\n", l.Entry, clean(l.Reason), clean(l.Detail))
	fmt.Fprintf(w, "given up   %s\ndue        %s\nid         %s\n", l.At, orUnknown(l.Due), orUnknown(clean(l.ID)))
	fmt.Fprintf(w, "delivered  %d\nfailed     %d\ndied       %d\n", l.Delivered, l.Failed, l.Died)
	for _, c := range l.Codecs {
		fmt.Fprintf(w, "codec      %s (%s): %s\n", c.Codec, c.Confidence, clean(c.Why))
	}
	_, err = fmt.Fprintf(w, "body       %d bytes\n%s", l.Bytes, hex.Dump(m.Body))
	return err
}

func (d *deadRun) redrive(ctx context.Context, entries []string) error {
	if d.all {
		rate := d.rate
		if rate == 0 {
			rate = -1
		}
		told := time.Now()
		r, err := framework.RedriveAll(ctx, d.client, d.queue, framework.RedriveOptions{
			Filter: framework.DeadFilter{Reasons: reasons(d.reason)}, Limit: d.limit, Rate: rate, Malformed: d.malformed,
			Progress: func(r framework.RedriveResult) {
				if now := time.Now(); !d.e.json && now.Sub(told) >= time.Second {
					told = now
					fmt.Fprintf(d.e.stderr, "%d put back so far\n", r.Redriven)
				}
			},
		})
		if r.Unknown > 0 {
			fmt.Fprintf(d.e.stderr, "duequeue: %d are gone after a lost reply: put back, unless somebody else took them out\n", r.Unknown)
		}
		return errors.Join(d.done("redriven", r.Redriven, "left", r.Skipped), err)
	}
	n := 0
	for _, entry := range entries {
		err := framework.Redrive(ctx, d.client, d.queue, entry)
		switch {
		case err == nil:
			n++
		case errors.Is(err, framework.ErrNoEntry) || errors.Is(err, framework.ErrMalformedEntry):
			d.failed = true
			fmt.Fprintf(d.e.stderr, "duequeue: %v\n", err)
		default:
			return errors.Join(d.done("redriven", n, "left", len(entries)-n), err)
		}
	}
	return d.done("redriven", n, "left", len(entries)-n)
}

func (d *deadRun) drop(ctx context.Context, entries []string) error {
	if d.all {
		err := d.each(ctx, "", d.limit, func(m framework.DeadMessage) error {
			entries = append(entries, m.Entry)
			return nil
		})
		if err != nil {
			return err
		}
	}
	dropped := 0
	for from := 0; from < len(entries); from += 1000 {
		n, err := framework.DropDead(ctx, d.client, d.queue, entries[from:min(from+1000, len(entries))]...)
		if dropped += int(n); err != nil {
			return errors.Join(d.done("dropped", dropped, "missing", 0), err)
		}
	}
	d.failed = dropped < len(entries) && !d.all
	return d.done("dropped", dropped, "missing", len(entries)-dropped)
}

// done says how many entries were dealt with, and how many not.
func (d *deadRun) done(what string, n int, others string, rest int) error {
	if d.e.json {
		return d.json(map[string]int{what: n, others: rest})
	}
	_, err := fmt.Fprintf(d.e.stdout, "%d %s, %d %s\n", n, what, rest, others)
	return err
}

// stamp formats a time of Redis, "" where it is unknown.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func reasons(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
