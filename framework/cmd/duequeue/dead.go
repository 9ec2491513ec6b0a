package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
)

const deadHelp = `
A message that cannot be handled goes to the dead store of its queue, with its
bytes and the reason. QUEUE is the name that Java gives to getBlockingQueue.

  list QUEUE              entries, oldest first, at most -limit (100)
  show QUEUE ENTRY        one entry with its bytes, its former deaths, and which
                          codec may have written it; "duequeue decode" tells more
  redrive QUEUE ENTRY...  put entries back to the end of the ready list, or with
                          -delay among the delayed ones, as new messages without
                          attempts but with their history; do it once the cause is gone
  redrive -all QUEUE      all that the filters choose, at -rate a second
  drop QUEUE ENTRY...     delete entries for good
  drop -all QUEUE         all that the filters choose; it asks first, and without
                          a terminal it needs -yes
  export QUEUE            one line of JSON for each entry, with the payload in base64,
                          to keep them; -drop deletes what was written

Filters go with list, export and -all; an entry must match all of them: -reason, -text,
-since, -until, -after, -digest, -min-failed, -max-failed, -min-redriven, -codec,
-class. Times are RFC 3339 (2026-01-31T08:00:00Z), or a time ago (90m, 36h).
-dry-run changes nothing and says what would be done.

Malformed entries are elements that fit no layout of Redisson's, not payloads:
redrive leaves them where they are unless -malformed says otherwise.

Any of these may run beside others, and you may interrupt it and run it again: what
is done stays done. -json prints one line of JSON for each entry, or for what
was done; progress goes to stderr. The exit code is 1 when an entry that was named
was not there or not put back, or something failed.

Like a service it reads the address of Redis from the environment (DUEQUEUE_REDIS_…,
DUEQUEUE_NAME_…).
`

// deadVerbs are what the command can do, in the order of the help.
var deadVerbs = []string{"list", "show", "redrive", "drop", "export"}

func deadCommand() command {
	return command{
		name:  "dead",
		args:  "list|show|redrive|drop|export QUEUE [ENTRY...]",
		verbs: true,
		short: "look at messages that died, put them back, keep or drop them",
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
	flags *flag.FlagSet
	all   bool
	limit int64
	dry   bool
	drops bool // export -drop
	yes   bool // drop -all, without a question

	reasons      string
	codec        string
	since, until string
	filter       framework.DeadFilter
	redriving    framework.RedriveOptions

	e      *env
	client *framework.Client
	name   string
	queue  *framework.Queue[[]byte]
	failed bool
	told   time.Time // when progress was shown last
}

func (d *deadRun) register() {
	fs, f, o := d.flags, &d.filter, &d.redriving
	fs.BoolVar(&d.all, "all", false, "redrive, drop: all entries that the filters choose")
	fs.Int64Var(&d.limit, "limit", 0, "most entries; list: 100 by default, otherwise no limit")
	fs.BoolVar(&d.dry, "dry-run", false, "redrive, drop: change nothing, say what would be done")
	fs.BoolVar(&d.yes, "yes", false, "drop -all: do not ask")
	fs.BoolVar(&d.drops, "drop", false, "export: delete what was written")

	fs.StringVar(&d.reasons, "reason", "", "entries with one of these `REASONS`: rejected,exhausted,undecodable …")
	fs.StringVar(&f.Text, "text", "", "entries with this `TEXT` in their detail, in any case")
	fs.StringVar(&f.Digest, "digest", "", "entries whose payload has this `DIGEST`, as logs and traces name it")
	fs.StringVar(&d.since, "since", "", "entries that died at this `TIME` or later")
	fs.StringVar(&d.until, "until", "", "entries that died before this `TIME`")
	fs.StringVar(&f.After, "after", "", "entries behind this `ENTRY`")
	fs.IntVar(&f.MinFailed, "min-failed", 0, "entries that failed so often at least")
	fs.IntVar(&f.MaxFailed, "max-failed", 0, "entries that failed so often at most; 0 is no bound")
	fs.IntVar(&f.MinRedriven, "min-redriven", 0, "entries that had been redriven so often at least")
	fs.StringVar(&d.codec, "codec", "", "entries whose bytes look most like this codec's `NAME`: a guess")
	fs.StringVar(&f.Class, "class", "", "entries with this `NAME` in their payload, a Java class for example")

	fs.BoolVar(&o.Malformed, "malformed", false, "redrive: malformed entries, too")
	fs.Float64Var(&o.Rate, "rate", framework.DefaultRedriveRate, "redrive -all: entries a second; 0 is no limit")
	fs.DurationVar(&o.Delay, "delay", 0, "redrive: due so long after they are put back")
	fs.DurationVar(&o.Spread, "spread", 0, "redrive: a random time up to so long is added to each delay")
}

func (d *deadRun) run(ctx context.Context, e *env, args []string) (err error) {
	if len(args) == 0 {
		return usagef("dead: say what: %s", strings.Join(deadVerbs, ", "))
	}
	what, args := args[0], args[1:]
	if err = errors.Join(d.check(what, args), d.choose(time.Now())); err != nil {
		return usagef("%w", err)
	}
	asks := what == "drop" && d.all && !d.dry && !d.yes
	if asks && !isTerminal(e.stdin) {
		return usagef("dead drop: -all deletes for good: say -yes, or -dry-run to see what would go")
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	d.e, d.told, d.name = e, time.Now(), args[0]
	if d.client, err = e.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.client.Close()) }()
	d.queue = admin.Queue(d.client, d.name)
	if asks {
		if err = d.confirm(ctx); err != nil {
			return err
		}
	}
	switch what {
	case "list":
		err = d.list(ctx)
	case "show":
		err = d.show(ctx, args[1])
	case "redrive":
		err = d.redrive(ctx, args[1:])
	case "drop":
		err = d.drop(ctx, args[1:])
	case "export":
		err = d.export(ctx)
	}
	if err == nil && d.failed {
		return errReported
	}
	return err
}

// filterFlags are those that choose entries.
var filterFlags = []string{
	"limit", "reason", "text", "digest", "since", "until", "after", "min-failed", "max-failed", "min-redriven", "codec", "class",
}

// flagsOfVerbs names the flags that only some verbs know.
var flagsOfVerbs = map[string][]string{
	"all": {"redrive", "drop"}, "dry-run": {"redrive", "drop"}, "drop": {"export"}, "yes": {"drop"},
	"malformed": {"redrive"}, "rate": {"redrive"}, "delay": {"redrive"}, "spread": {"redrive"},
}

func (d *deadRun) check(what string, args []string) error {
	entries := len(args) - 1
	switch {
	case !slices.Contains(deadVerbs, what):
		return usagef("dead: there is no %q: %s", what, strings.Join(deadVerbs, ", "))
	case entries < 0:
		return usagef("dead %s: no queue given", what)
	case (what == "list" || what == "export") && entries > 0, what == "show" && entries != 1:
		return usagef("dead %s: %d entries given", what, entries)
	case (what == "redrive" || what == "drop") && d.all == (entries > 0):
		return usagef("dead %s: name entries, or say -all", what)
	case d.limit < 0 || d.redriving.Rate < 0 || d.redriving.Delay < 0 || d.redriving.Spread < 0:
		return usagef("dead %s: -limit, -rate, -delay and -spread must not be negative", what)
	}
	var err error
	d.flags.Visit(func(f *flag.Flag) {
		if verbs, ok := flagsOfVerbs[f.Name]; ok && !slices.Contains(verbs, what) {
			err = errors.Join(err, usagef("dead %s: -%s goes with %s", what, f.Name, strings.Join(verbs, " and ")))
		}
		if slices.Contains(filterFlags, f.Name) && !d.all && what != "list" && what != "export" {
			err = errors.Join(err, usagef("dead %s: -%s goes with list, export and -all", what, f.Name))
		}
	})
	return err
}

// choose reads the filters that are more than a value.
func (d *deadRun) choose(now time.Time) error {
	if d.reasons != "" {
		d.filter.Reasons = strings.Split(d.reasons, ",")
	}
	var errs []error
	for _, bound := range []struct {
		name, text string
		to         *time.Time
	}{{"since", d.since, &d.filter.Since}, {"until", d.until, &d.filter.Until}} {
		if bound.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, bound.text)
		if err != nil {
			var ago time.Duration
			if ago, err = time.ParseDuration(bound.text); err == nil {
				at = now.Add(-ago)
			}
		}
		if err != nil {
			errs = append(errs, usagef("dead: -%s %q: a time such as 2026-01-31T08:00:00Z, or how long ago, such as 36h", bound.name, bound.text))
		}
		*bound.to = at
	}
	if d.codec != "" {
		if _, err := catalog.Find(d.codec); err != nil {
			errs = append(errs, usagef("dead: -codec: %w", err))
		}
		codec := catalog.Canonical(d.codec)
		d.filter.Payload = func(body []byte) bool { return sniff.Like(body, codec) }
	}
	return errors.Join(errs...)
}

// progress tells a person who waits how far it is, once a second.
func (d *deadRun) progress(format string, args ...any) {
	if now := time.Now(); now.Sub(d.told) >= time.Second {
		d.told = now
		fmt.Fprintf(d.e.stderr, format+"\n", args...)
	}
}

func (d *deadRun) json(v any) error {
	return json.NewEncoder(d.e.stdout).Encode(v)
}

// done says how many entries were dealt with, and how many not.
func (d *deadRun) done(what string, n int64, others string, rest int64) error {
	if d.e.json {
		return d.json(map[string]int64{what: n, others: rest})
	}
	_, err := fmt.Fprintf(d.e.stdout, "%d %s, %d %s\n", n, what, rest, others)
	return err
}
