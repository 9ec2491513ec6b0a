package operations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const manyHelp = `
With -match TEXT it changes all pending messages in whose line of "duequeue pending" the text
stands, or that have a field whose value it is; -due-from and -due-before bound them further.
What cannot be read is not chosen: payloads of Kryo's user classes need -classes.
First it chooses, and changes nothing: -dry-run ends there. At a terminal it shows what it has
chosen and asks, elsewhere it needs -yes. Then it changes them, at -rate a second. Interrupted,
it says how far it came and how to go on. Messages without an ID are left.
`

var cancel = Operation{
	Name: "cancel", Subject: Pending, Role: "support",
	Short: "take pending messages out of a queue",
	Help: `
cancel takes pending messages out of a queue, so that they are never handled: before they are
due, and while they wait for a retry. They are named by their IDs, or with -key by the keys of
their offers; "duequeue find" finds either. A message that is being handled is decided by its
handler, but it is not retried if this attempt fails. One that is not pending stays where it
is, and the command says where that is.

Where the queue keeps a journal, cancel writes the fields that the journal has of other
messages; to read payloads of Kryo's user classes it needs -classes.

It cannot be undone: at a terminal it asks, elsewhere it needs -yes. The exit code is 1
when a message that was named was not cancelled.
` + manyHelp,
	Examples: []string{"duequeue cancel ORDERS 18bcfe568000-a1b2c3d4e5f601", "duequeue cancel -key ORDERS 4711 4712 -yes", "duequeue cancel ORDERS -match shop-north -due-before 24h -dry-run"},
	Question: "Cancel %s for good", AsksEach: true, Confirms: true, Done: "cancelled",
	Title: "Cancel", Button: "Cancel this message", ButtonAll: "Cancel all of these", Note: "They will never be handled.",
	New: func() *Run {
		p := newPending("cancelled")
		return &Run{
			Args: []*Arg{p.rate()}, Check: p.check, Choose: p.choose, All: p.all,
			One: func(ctx context.Context, c *Call) (r Result, err error) {
				if c.ByKey {
					return Result{Said: fmt.Sprintf("the message with the key %s is cancelled", c.Name)}, c.Messages.CancelKey(ctx, c.Name)
				}
				return Result{ID: framework.ID(c.Name), Said: fmt.Sprintf("message %s is cancelled", c.Name)}, c.Messages.Cancel(ctx, framework.ID(c.Name))
			},
		}
	},
}

var reschedule = Operation{
	Name: "reschedule", Subject: Pending, Role: "support",
	Short: "give pending messages another due time",
	Help: `
reschedule gives pending messages another due time: -more 1h later than it is, and than now,
-more -10m earlier, -more 0s now, -in 30m from now, or -at a time. A time that has passed makes
them due at once. Messages keep their IDs, and Java learns of an earlier time as of a new
message. They are named by their IDs, or with -key by the keys of their offers; "duequeue find"
finds either. The exit code is 1 when a message that was named was not rescheduled.
` + manyHelp + `
With -more 1h it begins with what is due last, so that what is done is always behind what is
not; where time is short, begin with -due-before 10m, or raise the rate.
`,
	Examples: []string{"duequeue reschedule ORDERS 18bcfe568000-a1b2c3d4e5f601 -more 1h", "duequeue reschedule -key ORDERS 4711 -at 2026-01-31T08:00:00Z", "duequeue reschedule ORDERS -match shop-north -more 1h -reason 'storm' -yes"},
	Question: "Reschedule %s", Done: "rescheduled",
	Title: "More time", Button: "Reschedule", ButtonAll: "Reschedule all of these", OpenAll: true, Note: "Those without an ID are left.",
	New: func() *Run {
		p := newPending("rescheduled")
		var more, in time.Duration
		var at time.Time
		times := []*Arg{
			{Name: "more", To: &more, Help: "so much `TIME` later than it is: 1h; earlier: -10m; now: 0s", Label: "Due", Initial: "1h", Choices: []Choice{
				{"15m", "15 minutes later"}, {"1h", "an hour later"}, {"4h", "4 hours later"}, {"24h", "a day later"}, {"0s", "now"},
			}},
			{Name: "in", To: &in, Help: "so much `TIME` from now: 30m"},
			{Name: "at", To: &at, Help: "this `TIME`: 2026-01-31T08:00:00Z"},
		}
		return &Run{
			Args: append(times, p.rate()), Choose: p.choose, All: p.all,
			Check: func(all bool) error {
				given := 0
				for _, a := range times {
					if a.Given() {
						given++
					}
				}
				switch {
				case given != 1:
					return errors.New("give one of -more, -in and -at")
				case more > mostMoreTime || in > mostMoreTime:
					return errors.New("more time is at most a year")
				case times[1].Given():
					at = time.Now().Add(in)
				}
				p.move, p.moreTime = To(at), false
				if times[0].Given() {
					p.move, p.moreTime = Later(more), more > 0
				}
				if times[0].Given() && more == 0 {
					p.move = Now()
				}
				return p.check(all)
			},
			One: p.one,
		}
	},
}

// mostMoreTime bounds how much later a message becomes.
const mostMoreTime = 366 * 24 * time.Hour

// pendingRun changes pending messages.
type pendingRun struct {
	done     string
	perS     float64
	move     Move // nil cancels
	moreTime bool

	change *Change // once it has chosen
	chosen []Message
	more   bool
}

func newPending(done string) *pendingRun { return &pendingRun{done: done, perS: defaultRate} }

func (p *pendingRun) rate() *Arg {
	return &Arg{Name: "rate", To: &p.perS, Help: "`MESSAGES` a second; 0 is no limit", Use: OfAll, Label: "Messages a second", Initial: fmt.Sprint(p.perS), Bounds: true}
}

func (p *pendingRun) check(all bool) error {
	if all && p.perS != 0 && !(p.perS >= leastRate && p.perS <= mostRate) {
		return fmt.Errorf("-rate must be 0 or from %g to %d", leastRate, mostRate)
	}
	return nil
}

// one gives a message another due time.
func (p *pendingRun) one(ctx context.Context, c *Call) (r Result, err error) {
	var m framework.PendingMessage[[]byte]
	if c.ByKey {
		m, err = c.Messages.Pending().GetKey(ctx, c.Name)
	} else {
		m, err = c.Messages.Pending().Get(ctx, framework.ID(c.Name))
	}
	if err != nil {
		return r, err
	}
	to, moves := p.move(m.Due)
	if !moves && m.Due.IsZero() {
		return r, errors.New("it is never due: say when it is to be")
	}
	if r.ID = m.ID; c.ByKey {
		r.ID, err = c.Messages.RescheduleKey(ctx, c.Name, to)
	} else {
		err = c.Messages.Reschedule(ctx, m.ID, to)
	}
	if err != nil {
		return Result{ID: m.ID, Was: words.Stamp(m.Due)}, err
	}
	r.Due, r.Was = words.Stamp(to), words.Stamp(m.Due)
	r.Said = fmt.Sprintf("Message %s is due at %s UTC.", r.ID, to.UTC().Format("2006-01-02 15:04:05"))
	if !to.After(time.Now()) {
		r.Said = fmt.Sprintf("Message %s is due now.", r.ID)
	}
	return r, nil
}

// of is the change that a call wants.
func (p *pendingRun) of(c *Call) *Change {
	b := &Change{
		Queue: c.Messages, Filter: c.Filter, Read: c.Read, Move: p.move, MoreTime: p.moreTime, Rate: p.perS,
		Pace: c.Pace, Dry: c.Dry, Hold: c.Hold, Looked: c.Looked, Done: c.Was,
	}
	b.Chose = func(m Message, to time.Time, line string) {
		if c.Chose != nil {
			c.Chose(m, words.Stamp(to), line)
		}
		if b.Dry {
			c.tell(b.Done, nil)
		}
	}
	b.Each = func(m Message, to time.Time, err error) {
		if c.Changed != nil {
			c.Changed(m, words.Stamp(to), err)
		}
		if rest := b.Rest(); p.moreTime {
			c.tell(b.Done, nil) // what is left is held
		} else {
			c.tell(b.Done, &rest)
		}
	}
	return b
}

// choose chooses before anything is changed.
func (p *pendingRun) choose(ctx context.Context, c *Call) (more bool, err error) {
	p.change = p.of(c)
	p.chosen, p.more, err = p.change.Choose(ctx)
	p.change.Looked, p.change.Chose = nil, nil
	return p.more, err
}

// all changes what was chosen, or what the call chooses.
func (p *pendingRun) all(ctx context.Context, c *Call) (Counts, error) {
	b := p.change
	var err error
	if b == nil {
		b = p.of(c)
		err = b.Run(ctx)
	} else if err = b.Apply(ctx, p.chosen); err == nil && p.more {
		b.Filter = b.Rest()
		err = b.Run(ctx)
	}
	n := Counts{Done: b.Done, Rest: b.Left, Left: b.Rest()}
	if b.Left > 0 {
		n.Why = "left: not pending any more, or due at another time"
	}
	return n, err
}
