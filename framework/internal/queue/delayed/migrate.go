package delayed

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bounds of one script of a migration.
const (
	stepBytes  = 2 << 20 // looked at
	stepLeast  = 16      // elements, whatever scripts take: one costs little, and what costs more is bounded within the script
	stepFirst  = 100     // elements of the first one
	stepMost   = 1000    // elements
	stepBudget = 6_000   // µs of Redis after which no further chunk is begun
	stepScan   = 150_000 // list entries searched for elements found in the set, give or take one search
)

// maxMalformed bounds the malformed elements that a [LayoutCount] names.
const maxMalformed = 100

// The walks that rewrite elements, each a script of lua.
const (
	overList = "list" // from an index of the pending list towards its head
	overSet  = "set"  // in the order of due times
)

var walkScripts = map[string]*script.Script{
	overList: library.Script("walk" + overList), overSet: library.Script("walk" + overSet),
}

// MigrateArgs shapes a migration. The zero value rewrites, for a queue whose codec
// is not known.
type MigrateArgs struct {
	DryRun bool // count only

	// EmptyKnown says that EmptyOK tells whether the queue's codec writes empty
	// payloads; see [wire.Parse]. Without it the one shape that may be either is left
	// alone: every Redisson reads it.
	EmptyKnown bool
	EmptyOK    bool

	// Progress, where set, is called after each script with what was done so far.
	Progress func(LayoutCount)
}

// LayoutCount says how many elements of each layout a migration met.
type LayoutCount struct {
	Old   int64 // up to Redisson 3.21.0: a double, read by those alone
	New   int64 // since 3.21.1: 08 and 8 bytes, read by those alone
	Other int64 // an id of another length, read since 3.21.1 alone

	Rewritten int64 // of those, made universal
	Universal int64 // read by all, those rewritten included; 0 until the set was walked
	Ambiguous int64 // read by all, as an empty payload or as 00; left alone
	Malformed int64 // fits no layout; left alone

	// Ghosts are entries of the pending list, of a layout that not every Redisson
	// reads, that belong to no pending message; they are rewritten but not part of
	// the other counts.
	Ghosts int64

	// Examples are the first malformed elements, at most 100.
	Examples []MalformedElement

	Scripts int           // sent
	Longest time.Duration // longest script by Redis's clock; 0 where the server does not tell
}

// Foreign returns how many elements not every Redisson reads.
func (c LayoutCount) Foreign() int64 { return c.Old + c.New + c.Other }

// MalformedElement is an element of the timeout set that fits no layout.
type MalformedElement struct {
	DueMs  int64  // -1 for never
	Size   int    // bytes of the element
	Head   []byte // its first bytes, at most 32
	Reason string
}

// add takes the counts of one script over.
func (c *LayoutCount) add(step LayoutCount) {
	c.Old, c.New, c.Other = c.Old+step.Old, c.New+step.New, c.Other+step.Other
	c.Rewritten, c.Ghosts = c.Rewritten+step.Rewritten, c.Ghosts+step.Ghosts
	c.Universal, c.Ambiguous = c.Universal+step.Universal, c.Ambiguous+step.Ambiguous
	c.Malformed += step.Malformed
	room := min(max(maxMalformed-len(c.Examples), 0), len(step.Examples))
	c.Examples = append(c.Examples, step.Examples[:room]...)
	c.Scripts += step.Scripts
	c.Longest = max(c.Longest, step.Longest)
}

// migrator migrates one queue. Not safe for concurrent use.
type migrator struct {
	rdb  redis.Scripter
	keys wire.Keys
	args MigrateArgs

	pace  script.Pace
	base  LayoutCount // what earlier walks did, for Progress
	ids   ticks
	stops []string // heads of list entries up to which all was looked at
}

// Migrate makes every pending element of a queue universal, in place: same score,
// same payload, same place in the pending list. It may run beside any number of
// Java and Go processes that offer, transfer and remove, and be ended and begun
// again at any time: what is universal already is only looked at. What is offered
// while it runs may be missed.
//
// It walks the pending list first, where an element is replaced by its index, and
// then the timeout set for what is not in the list. Each element costs about 40 µs of
// Redis, in scripts of a few ms. Elements of a list that are found only in the set
// cost a search of that list each.
//
// The count is what was done when an error came. Errors are those of [script.Script.Run].
func Migrate(ctx context.Context, rdb redis.Scripter, k wire.Keys, args MigrateArgs) (LayoutCount, error) {
	return newMigrator(rdb, k, args).pass(ctx)
}

func newMigrator(rdb redis.Scripter, k wire.Keys, args MigrateArgs) *migrator {
	return &migrator{
		rdb: rdb, keys: k, args: args, ids: newTicks(time.Now),
		pace: script.NewPace(stepLeast, stepFirst, stepMost),
	}
}

// pass walks everything once. The count is of this pass alone.
func (m *migrator) pass(ctx context.Context) (LayoutCount, error) {
	var total LayoutCount
	m.stops = nil
	if !m.args.DryRun {
		if err := m.walkList(ctx, &total); err != nil {
			return total, err
		}
	}
	return total, m.walkSet(ctx, &total)
}

// walkList rewrites what stands in the pending list behind the entries that earlier
// walks have seen.
func (m *migrator) walkList(ctx context.Context, total *LayoutCount) error {
	var anchors []string
	at, tick := "", m.ids.falling()
	for {
		step, err := m.run(ctx, overList, at, "", tick, m.stops)
		if err != nil {
			return err
		}
		if at == "" {
			anchors = step.anchors
		}
		at, tick = step.at, tick-step.looked
		m.progress(total, step.count)
		if step.done {
			m.stops = anchors
			return nil
		}
	}
}

// walkSet walks the whole timeout set.
func (m *migrator) walkSet(ctx context.Context, total *LayoutCount) error {
	at, element := "", ""
	for {
		tick := m.ids.rising()
		step, err := m.run(ctx, overSet, at, element, tick, nil)
		if err != nil {
			return err
		}
		m.ids.used(tick + step.looked)
		at, element = step.at, step.element
		m.progress(total, step.count)
		if step.done {
			return nil
		}
	}
}

func (m *migrator) progress(total *LayoutCount, step LayoutCount) {
	total.add(step)
	if m.args.Progress != nil {
		all := m.base
		all.add(*total)
		m.args.Progress(all)
	}
}

// stepReply is the reply of one script.
type stepReply struct {
	looked  int64
	count   LayoutCount
	done    bool
	at      string
	element string
	anchors []string
}

func (m *migrator) run(ctx context.Context, walk, at, element string, tick int64, stops []string) (stepReply, error) {
	empty := ""
	if m.args.EmptyKnown {
		empty = script.Flag(m.args.EmptyOK)
	}
	args := []any{
		script.Flag(!m.args.DryRun), empty, at, element,
		m.pace.Limit(), stepBytes, stepBudget, stepScan, tick, m.ids.tail,
	}
	for _, s := range stops {
		args = append(args, s)
	}
	began := time.Now()
	sc := walkScripts[walk]
	value, err := sc.Run(ctx, m.rdb, []string{m.keys.Timeout, m.keys.Pending, m.keys.Attempts, m.keys.MessageNames, m.keys.IDs}, args...)
	if err != nil {
		return stepReply{}, err
	}
	step, err := parseStep(sc, value)
	if err != nil {
		return stepReply{}, err
	}
	looked := int(step.looked)
	m.pace.Observe(script.Round{Done: looked, Limited: looked, ServerTime: step.count.Longest, Elapsed: time.Since(began)})
	return step, nil
}

func parseStep(sc *script.Script, value any) (stepReply, error) {
	r := script.NewReader(sc, value)
	s := stepReply{looked: r.Integer()}
	c := &s.count
	for _, n := range []*int64{
		&c.Old, &c.New, &c.Other, &c.Rewritten, &c.Ghosts, &c.Universal, &c.Ambiguous, &c.Malformed,
	} {
		*n = r.Integer()
	}
	s.done = r.Integer() == 1
	s.at, s.element = r.Text(), r.Text()
	c.Scripts, c.Longest = 1, time.Duration(r.Integer())*time.Microsecond
	for anchors := r.Array(); anchors.More(); {
		s.anchors = append(s.anchors, anchors.Text())
	}
	inner := r.Array()
	for inner.More() {
		e := MalformedElement{DueMs: wire.ScoreMs(inner.Text()), Size: int(inner.Integer()), Head: []byte(inner.Text()), Reason: inner.Text()}
		c.Examples = append(c.Examples, e)
	}
	return s, inner.Err()
}

// tickHeadroom is how many new entries of the list one walk expects: with more,
// ids meet those of the walk before, which costs only the order among messages that
// are due in the same millisecond.
const tickHeadroom = 1024

// ticks says which ids a migration may use: those of [wire.IDs], with a tail of its
// own.
type ticks struct {
	now  func() time.Time
	last int64 // highest tick used
	tail int64
}

func newTicks(now func() time.Time) ticks {
	return ticks{now: now, tail: int64(wire.RandomTail())}
}

func (g *ticks) tick() int64 { return int64(wire.Tick(g.now())) }

// falling returns the highest tick of a walk from the end of the list.
func (g *ticks) falling() int64 {
	g.last = max(g.last+tickHeadroom, g.tick())
	return g.last
}

// rising returns the lowest tick of a script that walks the set.
func (g *ticks) rising() int64 { return max(g.last+1, g.tick()) }

func (g *ticks) used(last int64) { g.last = max(g.last, last) }
