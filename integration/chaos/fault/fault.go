package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Fault is one way of breaking something. Strike and Heal belong to one goroutine
// at a time; Name and Tally may be called at any time.
type Fault interface {
	// Name is how tables call it, for example "Redis kill -9, AOF always".
	Name() string
	// Strike begins the fault and returns when it holds. An error means that it does
	// not hold: [ErrNoTarget] when there is nothing to strike at this moment,
	// [ErrNoEffect] when a probe shows that the system works on as before. What was
	// half done is undone before it returns. Striking what is struck already is an
	// error, [ErrStruck], except for faults without duration.
	Strike(ctx context.Context) error
	// Heal ends it and returns when the system can work again. Healing what is
	// healthy does nothing.
	Heal(ctx context.Context) error
	// Tally tells what it did so far.
	Tally() Tally
}

// Tally is what a fault did since it was made.
type Tally struct {
	Strikes int    // how often Strike succeeded
	Effects int    // what it did to others, in units of Unit; final after Heal
	Unit    string // for example "replies dropped"
}

// String is the form for tables: "412 commands refused with OOM in 3 strikes".
func (t Tally) String() string {
	return fmt.Sprintf("%d %s in %d strikes", t.Effects, t.Unit, t.Strikes)
}

var (
	// ErrNoTarget tells that there is nothing to strike now; later there may be.
	ErrNoTarget = errors.New("no target for the fault")
	// ErrNoEffect tells that the fault was set up and that a probe found everything
	// working as before.
	ErrNoEffect = errors.New("the fault has no effect")
	// ErrStruck tells that the fault holds already.
	ErrStruck = errors.New("the fault holds already: heal it first")
)

// state is what all faults share: their name, whether they hold, and the tally.
type state struct {
	name, unit string

	mu   sync.Mutex // held during Strike and Heal
	held bool

	strikes, effects atomic.Int64
}

func (s *state) Name() string { return s.name }

func (s *state) Tally() Tally {
	return Tally{Strikes: int(s.strikes.Load()), Effects: int(s.effects.Load()), Unit: s.unit}
}

// simple is a fault made of two functions. begin undoes what it half did.
type simple struct {
	state

	momentary bool // has no duration: may strike again without a Heal
	begin     func(ctx context.Context) error
	end       func(ctx context.Context) error // nil: nothing to heal
}

func (f *simple) Strike(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held && !f.momentary {
		return fmt.Errorf("%s: %w", f.name, ErrStruck)
	}
	if err := f.begin(ctx); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	f.held = true
	f.strikes.Add(1)
	return nil
}

func (f *simple) Heal(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.held {
		return nil
	}
	if f.end != nil {
		if err := f.end(ctx); err != nil {
			return fmt.Errorf("heal %s: %w", f.name, err)
		}
	}
	f.held = false
	return nil
}

// Together makes one fault of several: Strike begins them in order, and ends those that
// hold when one fails; Heal ends them in the opposite order. Its Effects are the sum.
func Together(name string, faults ...Fault) Fault {
	return &together{name: name, faults: faults}
}

type together struct {
	name    string
	faults  []Fault
	strikes atomic.Int64
}

func (t *together) Name() string { return t.name }

func (t *together) Strike(ctx context.Context) error {
	for i, f := range t.faults {
		if err := f.Strike(ctx); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", t.name, err), healAll(ctx, t.faults[:i]))
		}
	}
	t.strikes.Add(1)
	return nil
}

func (t *together) Heal(ctx context.Context) error { return healAll(ctx, t.faults) }

// Tally adds up the effects; the unit names them all.
func (t *together) Tally() Tally {
	sum := Tally{Strikes: int(t.strikes.Load())}
	for i, f := range t.faults {
		one := f.Tally()
		sum.Effects += one.Effects
		if i > 0 {
			sum.Unit += " + "
		}
		sum.Unit += one.Unit
	}
	return sum
}

func healAll(ctx context.Context, faults []Fault) error {
	var all error
	for i := len(faults) - 1; i >= 0; i-- {
		all = errors.Join(all, faults[i].Heal(ctx))
	}
	return all
}
