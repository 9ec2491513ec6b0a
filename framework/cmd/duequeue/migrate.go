package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
)

const migrateHelp = `
Redisson up to 3.21.0 and Redisson since 3.21.1 write the elements of a delayed
queue differently. Each fails on what the other wrote, and then delivers the
messages before that again and again. migrate -layout rewrites what is pending so
that all of them read it: before such an upgrade, in the middle of one, or after.

QUEUE is the name that Java gives to getBlockingQueue. The queues may be in full
use: each element is replaced atomically and keeps its due time, its payload and
its place. It reports what no Redisson can read, and leaves it alone. It costs Redis
about 40 µs per element, in scripts of a few ms.

For a rolling upgrade run it with -follow until the last process is upgraded: it
rewrites what is offered within moments (-interval), and goes on until it gets
SIGINT or SIGTERM. A message that is due sooner than that may still meet a
Redisson that cannot read it: run the two generations side by side on such a queue
only where its delays are longer.

-dry-run only counts. -json prints one line of JSON for each queue, with -follow
one for each change. The exit code is 0 if every Redisson reads all that is
pending, 1 if not (in a dry run: there is something to rewrite) or if a queue
failed.

Like a service it reads the address of Redis (also of a Cluster or Sentinel) and the
mapping of names from the environment (DUEQUEUE_REDIS_…, DUEQUEUE_NAME_…). The
user needs EVAL, EVALSHA, TIME, TYPE, LINDEX, LLEN, LPOS, LRANGE, LSET, ZADD, ZCOUNT,
ZRANGE, ZRANK, ZREM and ZSCORE, with -follow SUBSCRIBE, too.
`

func migrateCommand() command {
	return command{
		name:  "migrate",
		args:  "-layout QUEUE...",
		short: "make pending messages readable for every Redisson",
		long:  migrateHelp,
		setup: func(fs *flag.FlagSet) func(context.Context, *env, []string) error {
			m := &migration{}
			fs.BoolVar(&m.layout, "layout", false, "rewrite the layout of pending elements; required, there is nothing else to migrate")
			fs.BoolVar(&m.dryRun, "dry-run", false, "count, and change nothing")
			fs.BoolVar(&m.follow, "follow", false, "go on with what is offered, until interrupted")
			fs.DurationVar(&m.interval, "interval", 20*time.Millisecond, "with -follow: how long an element may stay as it was offered")
			fs.StringVar(&m.codec, "codec", "", "codec `NAME` of the queues; decides whether an element that may be either holds nothing or a zero byte")
			return m.run
		},
	}
}

// migration is one run of the migrate command.
type migration struct {
	layout, dryRun, follow bool
	interval               time.Duration
	codec                  string

	failed bool // some queue failed, or is not readable for all
}

func (m *migration) run(ctx context.Context, e *env, queues []string) (err error) {
	if err = m.check(queues); err != nil {
		return err
	}
	options := admin.MigrateOptions{DryRun: m.dryRun}
	if m.codec != "" {
		if options.Codec, err = catalog.Find(m.codec); err != nil {
			return &usageError{err: err}
		}
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if m.follow {
		err = m.runFollow(ctx, e, client, queues, options)
	} else {
		err = m.runOnce(ctx, e, client, queues, options)
	}
	if err == nil && m.failed {
		return errReported
	}
	return err
}

func (m *migration) check(queues []string) error {
	switch {
	case !m.layout:
		return usagef("migrate: say what: -layout")
	case len(queues) == 0:
		return usagef("migrate: no queue given")
	case m.follow && m.dryRun:
		return usagef("migrate: -follow and -dry-run exclude each other")
	case m.interval < time.Millisecond || m.interval > time.Minute:
		return usagef("migrate: -interval %v: from 1ms to 1m", m.interval)
	}
	return nil
}

// open connects to Redis as the environment says; -redis takes the place of its
// variable.
func (e *env) open(ctx context.Context) (*framework.Client, error) {
	if e.redis != os.Getenv(redisVariable) {
		if err := os.Setenv(redisVariable, e.redis); err != nil {
			return nil, err
		}
	}
	cfg, err := framework.LoadConfig("")
	if err != nil {
		return nil, &usageError{err: err}
	}
	if cfg.ClientName == "" {
		cfg.ClientName = "duequeue-cli"
	}
	// Commands say themselves what matters to them; what Open warns of is the doctor's part.
	return framework.Open(ctx, cfg, framework.WithLogger(slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelError}))))
}

// runOnce goes through the queues one by one. One that fails does not stop the others.
func (m *migration) runOnce(ctx context.Context, e *env, client *framework.Client, queues []string, o admin.MigrateOptions) error {
	for _, queue := range queues {
		told := time.Now()
		o.Progress = func(c admin.LayoutCounts) {
			if now := time.Now(); !e.json && now.Sub(told) >= time.Second {
				told = now
				fmt.Fprintf(e.stderr, "%s: %d found that not every Redisson reads, %d rewritten so far\n", clean(queue), c.Foreign(), c.Rewritten)
			}
		}
		counts, err := admin.MigrateLayout(ctx, client, queue, o)
		m.failed = m.failed || err != nil || counts.Left() > 0
		failed := err != nil
		if err = m.print(e, queue, counts, err); err != nil {
			return err
		}
		if !failed && counts.Foreign()+counts.Universal+counts.Ambiguous+counts.Malformed == 0 {
			if err = tellAbsent(ctx, e, client, queue); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return errors.New("interrupted: what was rewritten stays so, and running it again does the rest")
		}
	}
	return nil
}

// runFollow goes on until ctx ends.
func (m *migration) runFollow(ctx context.Context, e *env, client *framework.Client, queues []string, o admin.MigrateOptions) error {
	states := map[string]*following{}
	for _, queue := range queues {
		states[queue] = &following{}
	}
	var printing error
	err := admin.FollowLayout(ctx, client, queues, admin.FollowOptions{
		Codec: o.Codec, Interval: m.interval,
		Progress: func(queue string, c admin.LayoutCounts, whole bool) {
			if states[queue].news(c, whole) {
				printing = errors.Join(printing, m.print(e, queue, c, nil))
			}
		},
		Trouble: func(queue string, err error) {
			if queue == "" {
				queue = "subscription"
			}
			fmt.Fprintf(e.stderr, "duequeue: %s: %v; going on\n", clean(queue), err)
		},
	})
	for _, queue := range queues {
		s := states[queue]
		m.failed = m.failed || !s.whole || s.latest.Malformed > 0
		if s.latest.Rewritten != s.told.Rewritten {
			printing = errors.Join(printing, m.print(e, queue, s.latest, nil))
			s.told = s.latest
		}
	}
	return errors.Join(err, printing)
}

// following is what -follow knows of a queue.
type following struct {
	latest, told admin.LayoutCounts
	toldAt       time.Time
	whole        bool // all of it was looked at once
}

// news takes the counts over and reports whether they are worth a line: when all was
// looked at for the first time, and then once a second where something changed.
func (f *following) news(c admin.LayoutCounts, whole bool) bool {
	first := whole && !f.whole
	f.latest, f.whole = c, f.whole || whole
	changed := c.Rewritten != f.told.Rewritten || c.Malformed != f.told.Malformed
	if !first && (!changed || !f.whole || time.Since(f.toldAt) < time.Second) {
		return false
	}
	f.told, f.toldAt = c, time.Now()
	return true
}

// print prints what was done on one queue.
func (m *migration) print(e *env, queue string, c admin.LayoutCounts, err error) error {
	var b bytes.Buffer
	if e.json {
		line := migrationLine{
			Queue: queue, Dry: m.dryRun, Old: c.Old, New: c.New, Other: c.Other, Rewritten: c.Rewritten, Ghosts: c.Ghosts,
			Universal: c.Universal, Ambiguous: c.Ambiguous, Malformed: c.Malformed, Left: c.Left(),
		}
		for _, x := range c.Examples {
			line.Examples = append(line.Examples, malformedLine{x.DueMs, x.Size, hex.EncodeToString(x.Head), x.Reason})
		}
		if err != nil {
			line.Error = err.Error()
		}
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if fault := enc.Encode(line); fault != nil {
			return fault
		}
		_, fault := e.stdout.Write(b.Bytes())
		return fault
	}
	m.text(&b, clean(queue), c, err)
	_, werr := e.stdout.Write(b.Bytes())
	if err != nil {
		fmt.Fprintf(e.stderr, "duequeue: %s: %v\n", clean(queue), err)
	}
	return werr
}

// migrationLine is a line of -json.
type migrationLine struct {
	Queue     string          `json:"queue"`
	Dry       bool            `json:"dryRun"`
	Old       int64           `json:"old"`   // up to 3.21.0
	New       int64           `json:"new"`   // since 3.21.1
	Other     int64           `json:"other"` // since 3.21.1, not Java's
	Rewritten int64           `json:"rewritten"`
	Ghosts    int64           `json:"ghosts"`
	Universal int64           `json:"universal"`
	Ambiguous int64           `json:"ambiguous"`
	Malformed int64           `json:"malformed"`
	Left      int64           `json:"left"` // not read by every Redisson
	Examples  []malformedLine `json:"examples,omitempty"`
	Error     string          `json:"error,omitempty"`
}

type malformedLine struct {
	Due    int64  `json:"due"` // ms, -1 for never
	Size   int    `json:"size"`
	Head   string `json:"head"` // hex
	Reason string `json:"reason"`
}

// text writes for people.
func (m *migration) text(b *bytes.Buffer, queue string, c admin.LayoutCounts, err error) {
	total := c.Foreign() + c.Universal + c.Ambiguous + c.Malformed - c.Rewritten
	switch {
	case total <= 0 && c.Rewritten == 0 && c.Ghosts == 0:
		if err == nil {
			fmt.Fprintf(b, "%s: nothing is pending\n", queue)
		}
		return
	case m.dryRun:
		fmt.Fprintf(b, "%s: %d of %d would be rewritten", queue, c.Foreign(), total)
	case m.follow:
		fmt.Fprintf(b, "%s: %d rewritten", queue, c.Rewritten)
	default:
		fmt.Fprintf(b, "%s: %d of %d rewritten", queue, c.Rewritten, max(total, c.Rewritten))
	}
	fmt.Fprintf(b, " (%d of Redisson up to 3.21.0, %d since 3.21.1", c.Old, c.New)
	if c.Other > 0 {
		fmt.Fprintf(b, ", %d not of Java", c.Other)
	}
	b.WriteString(")")
	if c.Ghosts > 0 {
		fmt.Fprintf(b, ", %d list entries without a message", c.Ghosts)
	}
	if c.Ambiguous > 0 {
		fmt.Fprintf(b, ", %d of either layout left alone (see -codec)", c.Ambiguous)
	}
	if c.Malformed > 0 {
		fmt.Fprintf(b, ", %d malformed left alone", c.Malformed)
	}
	b.WriteString("\n")
	for _, x := range c.Examples {
		due := "never due"
		if x.DueMs >= 0 {
			due = "due " + time.UnixMilli(x.DueMs).UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(b, "  malformed, %s, %d bytes, %x: %s\n", due, x.Size, x.Head, clean(x.Reason))
	}
}
