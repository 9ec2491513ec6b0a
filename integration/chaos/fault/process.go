package fault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const pollEvery = 5 * time.Millisecond

// Target chooses a victim at the moment of the strike; false means that there is none.
type Target func() (Process, bool)

// Kill ends a process by SIGKILL. Strike returns when it is gone. Heal calls revive
// once per strike; nil means that whoever owns the processes starts new ones.
func Kill(name string, target Target, revive func(ctx context.Context) error) Fault {
	f := &simple{state: state{name: name, unit: "processes killed"}, momentary: revive == nil, end: revive}
	f.begin = func(context.Context) error {
		p, err := choose(target)
		if err != nil {
			return err
		}
		if err := killAndWait(p); err != nil {
			return err
		}
		f.effects.Add(1)
		return nil
	}
	return f
}

// Pause stops a process by SIGSTOP until Heal continues it. Strike returns when the
// process stands still. How long is the caller's choice.
func Pause(name string, target Target) Fault {
	f := &simple{state: state{name: name, unit: "processes paused"}}
	var victim Process
	f.begin = func(ctx context.Context) error {
		p, err := choose(target)
		if err != nil {
			return err
		}
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		if err := awaitStopped(ctx, p); err != nil {
			return errors.Join(err, p.Signal(syscall.SIGCONT))
		}
		victim = p
		f.effects.Add(1)
		return nil
	}
	f.end = func(context.Context) error { return victim.Signal(syscall.SIGCONT) }
	return f
}

func choose(target Target) (Process, error) {
	p, ok := target()
	if !ok {
		return nil, ErrNoTarget
	}
	select {
	case <-p.Done():
		return nil, fmt.Errorf("%w: process %d has ended already", ErrNoTarget, p.Pid())
	default:
		return p, nil
	}
}

func awaitStopped(ctx context.Context, p Process) error {
	return await(ctx, func() error {
		select {
		case <-p.Done():
			return fmt.Errorf("%w: process %d ended meanwhile", ErrNoTarget, p.Pid())
		default:
		}
		still, err := stopped(p.Pid())
		switch {
		case errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("%w: process %d ended meanwhile", ErrNoTarget, p.Pid())
		case err != nil:
			return err
		case !still:
			return errNotYet
		}
		return nil
	})
}

// errNotYet, wrapped or not, makes await ask again.
var errNotYet = errors.New("not yet")

// await asks until done returns anything but errNotYet, and tells the last reason
// when ctx ends before.
func await(ctx context.Context, done func() error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := done()
		if !errors.Is(err, errNotYet) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, context.Cause(ctx))
		case <-tick.C:
		}
	}
}
