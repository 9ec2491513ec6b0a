package repair

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
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

The Redis user needs EVAL, EVALSHA, TIME, TYPE, LINDEX, LLEN, LPOS, LRANGE, LSET, ZADD, ZCOUNT,
ZRANGE, ZRANK, ZREM and ZSCORE, with -follow SUBSCRIBE, too.
`

func migrateCommand(e *env.Env) *cli.Command {
	m := &migration{}
	return e.Command(env.Spec{
		Name: "migrate", Args: "-layout QUEUE...", Short: "make pending messages readable for every Redisson", Group: env.GroupRepair, Long: migrateHelp,
		Examples: []string{"duequeue migrate -layout -dry-run ORDERS", "duequeue migrate -layout -follow ORDERS"}, JSON: migrationLine{},
		Flags: []cli.Flag{
			env.Bool(&m.layout, "layout", false, "rewrite the layout of pending elements; required, there is nothing else to migrate"),
			env.Bool(&m.dryRun, "dry-run", false, "count, and change nothing"),
			env.Bool(&m.follow, "follow", false, "go on with what is offered, until interrupted"),
			env.Duration(&m.interval, "interval", 20*time.Millisecond, "with -follow: how long an element may stay as it was offered"),
			env.String(&m.codec, "codec", "", "codec `NAME` of the queues; decides whether an element that may be either holds nothing or a zero byte"),
		},
		Run: func(ctx context.Context, queues []string) error { return m.run(ctx, e, queues) },
	})
}

// migration is one run of the migrate command.
type migration struct {
	layout, dryRun, follow bool
	interval               time.Duration
	codec                  string

	failed bool // some queue failed, or is not readable for all
}

func (m *migration) run(ctx context.Context, e *env.Env, queues []string) (err error) {
	if err = m.check(queues); err != nil {
		return err
	}
	options := admin.MigrateOptions{DryRun: m.dryRun}
	if m.codec != "" {
		if options.Codec, err = catalog.Find(m.codec); err != nil {
			return env.Usage(err)
		}
	}
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if err = e.Exists(ctx, client, queues...); err != nil {
		return err
	}
	if m.follow {
		err = m.runFollow(ctx, e, client, queues, options)
	} else {
		err = m.runOnce(ctx, e, client, queues, options)
	}
	if err == nil && m.failed {
		return env.ErrReported
	}
	return err
}

func (m *migration) check(queues []string) error {
	switch {
	case !m.layout:
		return env.Usagef("migrate: say what: -layout")
	case len(queues) == 0:
		return env.Usagef("migrate: no queue given")
	case m.follow && m.dryRun:
		return env.Usagef("migrate: -follow and -dry-run exclude each other")
	case m.interval < time.Millisecond || m.interval > time.Minute:
		return env.Usagef("migrate: -interval %v: from 1ms to 1m", m.interval)
	}
	return nil
}

// runOnce goes through the queues one by one. One that fails does not stop the others.
func (m *migration) runOnce(ctx context.Context, e *env.Env, client *framework.Client, queues []string, o admin.MigrateOptions) error {
	for _, queue := range queues {
		progress := screen.NewProgress(e.Stderr)
		o.Progress = func(c admin.LayoutCounts) {
			progress.Tell("%s: %d found that not every Redisson reads, %d rewritten so far", screen.Name(queue), c.Foreign(), c.Rewritten)
		}
		counts, err := m.rewrite(ctx, e, client, queue, o)
		m.failed = m.failed || err != nil || counts.Left() > 0
		if err = m.print(e, queue, counts, err); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.New("interrupted: what was rewritten stays so, and running it again does the rest")
		}
	}
	return nil
}

// rewrite goes through one queue. What changes anything is audited.
func (m *migration) rewrite(ctx context.Context, e *env.Env, client *framework.Client, queue string, o admin.MigrateOptions) (counts admin.LayoutCounts, err error) {
	if o.DryRun {
		return admin.MigrateLayout(ctx, client, queue, o)
	}
	err = e.Audited(ctx, client, admin.Action{Action: "migrate", Queue: queue, Target: "layout"}, func(ctx context.Context) (_ string, err error) {
		counts, err = admin.MigrateLayout(ctx, client, queue, o)
		return fmt.Sprintf("%d rewritten", counts.Rewritten), err
	})
	return counts, err
}

// follows is [admin.FollowLayout], audited for each queue.
func (m *migration) follows(ctx context.Context, e *env.Env, client *framework.Client, queues []string, o admin.FollowOptions) error {
	return e.AuditedEach(ctx, client, queues, admin.Action{Action: "migrate", Target: "layout, and what follows"}, func(ctx context.Context) (string, error) {
		return "", admin.FollowLayout(ctx, client, queues, o)
	})
}

// runFollow goes on until ctx ends.
func (m *migration) runFollow(ctx context.Context, e *env.Env, client *framework.Client, queues []string, o admin.MigrateOptions) error {
	states := map[string]*following{}
	for _, queue := range queues {
		states[queue] = &following{}
	}
	var printing error
	err := m.follows(ctx, e, client, queues, admin.FollowOptions{
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
			fmt.Fprintf(e.Stderr, "duequeue: %s: %v; going on\n", screen.Name(queue), err)
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
func (m *migration) print(e *env.Env, queue string, c admin.LayoutCounts, err error) error {
	var b bytes.Buffer
	if e.JSON {
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
		_, fault := e.Stdout.Write(b.Bytes())
		return fault
	}
	m.text(&b, screen.Name(queue), c, err)
	_, werr := e.Stdout.Write(b.Bytes())
	if err != nil {
		fmt.Fprintf(e.Stderr, "duequeue: %s: %v\n", screen.Name(queue), err)
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
		fmt.Fprintf(b, "  malformed, %s, %d bytes, %x: %s\n", due, x.Size, x.Head, screen.Clean(x.Reason))
	}
}
