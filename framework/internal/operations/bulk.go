package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// defaultRate is how many messages a run changes a second where nobody says another number.
const defaultRate = 50

// mostChosen bounds the messages that a run remembers; more of them take turns.
const mostChosen = 100_000

// leastRate is the lowest of messages a second, a message in a quarter of an hour, mostRate the
// highest.
const (
	leastRate = 0.001
	mostRate  = 10_000
)

// Filter chooses among pending messages. The zero value chooses all.
type Filter struct {
	// Text stands in the line that is shown of a message, or is the value of one of Fields.
	Text   string
	Fields payload.Fields
	// From and Before bound the due time; zero is no bound. A message that is never due lies
	// behind each bound.
	From, Before time.Time
}

// Over reports whether a message, and all that fall due behind it, are due too late.
func (f Filter) Over(due time.Time) bool {
	return !f.Before.IsZero() && (due.IsZero() || !due.Before(f.Before))
}

// Matches reports whether a message that is not over is chosen: by its due time, the line that is
// shown of it, "" where it cannot be read, and its value.
func (f Filter) Matches(due time.Time, line string, value any) bool {
	if !f.From.IsZero() && !due.IsZero() && due.Before(f.From) {
		return false
	}
	if f.Text == "" || strings.Contains(line, f.Text) {
		return true
	}
	_, found := f.Fields.Match(value, f.Text)
	return found
}

// Message is one that was chosen.
type Message struct {
	ID  framework.ID
	Due time.Time
}

// Move says what becomes of a due time, and whether a message of it is moved at all.
type Move func(due time.Time) (to time.Time, ok bool)

// Later moves by so much: later than it is, and than now, or earlier where it is negative. What is
// never due stays.
func Later(by time.Duration) Move {
	return func(due time.Time) (time.Time, bool) {
		if now := time.Now(); by > 0 && due.Before(now) {
			return now.Add(by), !due.IsZero()
		}
		return due.Add(by), !due.IsZero()
	}
}

// Now makes due at once what is due later, or never.
func Now() Move {
	return func(due time.Time) (time.Time, bool) {
		now := time.Now()
		return now, due.IsZero() || due.After(now)
	}
}

// To moves to a time. What is due then already stays.
func To(at time.Time) Move {
	at = at.Truncate(time.Millisecond)
	return func(due time.Time) (time.Time, bool) { return at, !due.Equal(at) }
}

// Change is what becomes of all pending messages that a person chooses. It belongs to one run.
//
// It chooses first and changes then, so that it never meets what it has moved. Messages that get
// more time are changed from the one that is due last to the one that is due first: those that are
// done always lie behind those that are not, and [Change.Rest] tells them apart.
type Change struct {
	Queue  *framework.Queue[[]byte]
	Filter Filter
	// Read returns the line that is shown of a message, "" where it cannot be read, and its value.
	Read func(m framework.PendingMessage[[]byte]) (line string, value any)
	// Move gives another due time; without, messages are cancelled. MoreTime says that it is
	// later than before for all.
	Move     Move
	MoreTime bool
	Rate     float64 // messages a second; 0 is no bound
	Pace     budget.CountedPace
	Dry      bool // chooses and counts, and changes nothing

	// Looked, if set, is told how many were looked at and chosen so far; Chose, if set, of each
	// that was chosen, with the line that is shown of it.
	Looked func(looked, chosen int64)
	Chose  func(m Message, to time.Time, line string)
	// Hold, if set, is told what is left before a message is changed that could else be met again:
	// a process that goes on with that filter moves none twice, wherever this one is killed. An
	// error ends the run, and the message is not changed.
	Hold func(ctx context.Context, left Filter) error
	// Each, if set, is told what became of a message: err is nil where it was changed.
	Each func(m Message, to time.Time, err error)

	// Done counts those that were changed, or in a dry run would be; Left those that could not
	// be, since they were not pending any more, got another due time meanwhile, or several have
	// their ID.
	Done, Left int64

	last Message   // the last that was come to
	held time.Time // what is due from then on was told to Hold as done, or as the next one
	most int       // that are remembered; 0 is mostChosen
}

// Run chooses and changes until none is left. An error does not undo what was done.
func (c *Change) Run(ctx context.Context) error {
	for {
		chosen, more, err := c.Choose(ctx)
		if err != nil || c.Dry {
			return err
		}
		if err = c.Apply(ctx, chosen); err != nil || !more {
			return err
		}
		rest := c.Rest()
		if c.Done == 0 && rest.From.Equal(c.Filter.From) && rest.Before.Equal(c.Filter.Before) {
			return nil // none of very many that are due at once can be changed
		}
		c.Filter = rest
	}
}

// Choose walks through the pending messages and returns those that are chosen in the order in
// which they are to be changed, in a dry run none. What has no ID cannot be changed. more says
// that there are more than are remembered: those come when these are changed, and [Change.Rest]
// chooses them.
func (c *Change) Choose(ctx context.Context) (chosen []Message, more bool, err error) {
	looked, most := int64(0), cmp.Or(c.most, mostChosen)
	again := 0 // how many have taken the place of one in front, as the last are changed first
	for m, err := range c.Queue.Pending().All(ctx) {
		if err != nil {
			return nil, false, err
		}
		if c.Filter.Over(m.Due) {
			break
		}
		if err := c.Pace.Next(ctx); err != nil {
			return nil, false, err
		}
		if looked++; c.Looked != nil {
			c.Looked(looked, max(c.Done, int64(len(chosen))))
		}
		one := Message{m.ID, m.Due}
		to, moves := c.to(one)
		if m.ID == "" || !moves {
			continue
		}
		line, value := c.Read(m)
		if !c.Filter.Matches(m.Due, line, value) {
			continue
		}
		switch {
		case c.Dry:
			c.Done++
		case len(chosen) < most:
			chosen = append(chosen, one)
		case !c.MoreTime:
			return chosen, true, nil
		default:
			chosen[again%most] = one
			again++
		}
		if c.Chose != nil {
			c.Chose(one, to, line)
		}
	}
	if c.MoreTime {
		slices.Reverse(chosen[:again%most])
		slices.Reverse(chosen[again%most:])
	}
	return chosen, again > 0, nil
}

func (c *Change) to(m Message) (to time.Time, moves bool) {
	if c.Move == nil {
		return m.Due, true
	}
	return c.Move(m.Due)
}

// Apply changes what was chosen.
func (c *Change) Apply(ctx context.Context, chosen []Message) error {
	for _, m := range chosen {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		to, _ := c.to(m)
		if err := c.hold(ctx, m, to); err != nil {
			return err
		}
		err := c.one(ctx, m, to)
		ambiguous := (*fault.AmbiguousIDError)(nil)
		switch {
		case err == nil:
			c.Done++
		case errors.Is(err, fault.ErrGone) || errors.As(err, &ambiguous) || errors.Is(err, errChanged):
			c.Left++
		default:
			return fmt.Errorf("message %s: %w", m.ID, err)
		}
		c.last = m
		if c.Each != nil {
			c.Each(m, to, err)
		}
		if err == nil && c.Rate > 0 {
			if err = retry.Pause(ctx, time.Duration(float64(time.Second)/c.Rate)); err != nil {
				return err
			}
		}
	}
	return nil
}

// hold tells Hold what is left. What gets more time lies behind what was told for as long as it does
// not come back in front of that; all others are not chosen again once they are changed.
func (c *Change) hold(ctx context.Context, m Message, to time.Time) error {
	if c.Hold == nil || !c.MoreTime || !c.held.IsZero() && !to.Before(c.held) {
		return nil
	}
	left := c.Filter
	left.Before = m.Due.Add(time.Millisecond)
	if err := c.Hold(ctx, left); err != nil {
		return err
	}
	c.held = left.Before
	return nil
}

// oneTime is how long the change of one message may take.
const oneTime = 10 * time.Second

// errChanged says that a message has another due time than when it was chosen: somebody else gave
// it that, or it was handled, failed and waits for another attempt.
var errChanged = errors.New("the message has another due time now")

// one changes a message. The end of ctx does not cut it off: its outcome would be unknown.
func (c *Change) one(ctx context.Context, m Message, to time.Time) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), oneTime)
	defer cancel()
	if c.Move == nil {
		return c.Queue.Cancel(ctx, m.ID)
	}
	now, err := c.Queue.Pending().Get(ctx, m.ID)
	if err == nil && !now.Due.Equal(m.Due) {
		err = errChanged
	}
	if err != nil {
		return err
	}
	return c.Queue.Reschedule(ctx, m.ID, to)
}

// Rest returns the filter that chooses, after a run that ended early, those that it has not
// come to: a later run with it goes on, and moves none twice.
func (c *Change) Rest() Filter {
	f := c.Filter
	switch {
	case c.last.Due.IsZero():
	case c.MoreTime:
		f.Before = c.last.Due.Add(time.Millisecond)
	default:
		f.From = c.last.Due
	}
	return f
}

// String says in words what is chosen, for the audit.
func (f Filter) String() string {
	text := fmt.Sprintf("match %q", f.Text)
	if !f.From.IsZero() {
		text += ", due from " + words.Stamp(f.From)
	}
	if !f.Before.IsZero() {
		text += ", due before " + words.Stamp(f.Before)
	}
	return text
}
