package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Process is a Go process that serves a queue, as it says itself. It says so anew every two
// thirds of its lease, when something changes, and when [Processes] asks. Payloads are never
// part of it.
type Process struct {
	ID       string // of its engine: two in one process differ
	Host     string
	PID      int
	Program  string
	Version  string // of the program, with its revision: what Go noted when it was built; "" where that is nothing
	Duequeue string // version of this module
	Up       time.Duration

	TransferOnly bool    // it only transfers
	Workers      int     // as declared
	Usable       int     // of these, as a limit bounds them
	Rate         float64 // messages a second; 0 is no limit
	Intake       health.Intake
	Reason       health.Reason // why the intake is not open
	Because      string        // text of a pause
	LastError    string        // the last failure that counted against an intake that is not open, redacted: it may name what is in a message

	Handled, Failed uint64 // since its start: messages whose handler returned nil, and failures that count against the breaker

	Held     int       // messages that it has: they run, or wait for a worker
	Running  []Running // of these the 20 that run for the longest time; of a batch its first
	Zombies  int       // handlers that were given up on and have not returned
	Hung     []Running // five of these, the oldest first
	Suspects int       // messages that run alone or wait for that, since they were in flight in two processes that died

	// Policy is what of its declaration should be the same in all processes, for people: "" where it
	// does not say.
	Policy string

	Age time.Duration // of what it says
	// Silent says that it should have said more since: it was killed, or cannot reach Redis.
	// It is left out after a lease more.
	Silent bool
}

// Running is a message that a handler has.
type Running struct {
	ID      string // empty where it is not known
	Digest  string // of hung ones
	Attempt int    // 1 for the first one
	Hangs   int    // times that its handler hung, now included; after registry.MaxHangs it is dead
	For     time.Duration
	Alone   bool // it is a suspect
}

// askFor is how long processes may take to answer.
const askFor = time.Second

// Processes returns the Go processes that serve a queue, named as for [Diagnose]: those that
// handle it, and those that only transfer it by an engine. It asks them for news and waits
// for it, a second at most: see Process.Age. A process that has stopped is not among them;
// one that was killed is Silent for a lease. Java clients leave no trace here.
func Processes(ctx context.Context, c *framework.Client, queue string) ([]Process, error) {
	client := access.Of(c)
	keys, err := client.Keys(queue)
	if err != nil {
		return nil, err
	}
	asked := time.Now()
	all, err := control.ReadProcesses(ctx, client.Redis, keys)
	if err != nil || len(all) == 0 || control.Ask(ctx, client.Redis, keys) != nil { // who may not ask sees what there is
		return processesOf(all), err
	}
	for old := true; old && time.Since(asked) < askFor; {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(40 * time.Millisecond):
		}
		if all, err = control.ReadProcesses(ctx, client.Redis, keys); err != nil {
			return nil, err
		}
		old = slices.ContainsFunc(all, func(p control.Process) bool { return !p.Silent && p.Age > time.Since(asked) })
	}
	return processesOf(all), nil
}

// ProcessesNow is [Processes] without asking for news: it returns at once, and takes a Redis user
// who can only read. What it tells is as old as Process.Age, some 20 s at most.
func ProcessesNow(ctx context.Context, c *framework.Client, queue string) ([]Process, error) {
	client := access.Of(c)
	keys, err := client.Keys(queue)
	if err != nil {
		return nil, err
	}
	all, err := control.ReadProcesses(ctx, client.Redis, keys)
	return processesOf(all), err
}

func processesOf(all []control.Process) []Process {
	out := make([]Process, len(all))
	for i, p := range all {
		ago := func(rs []control.Running) []Running {
			var out []Running
			for _, r := range rs {
				out = append(out, Running{ID: r.ID, Digest: r.Digest, Attempt: r.Attempt, Hangs: r.Hangs, For: millis(r.For) + p.Age, Alone: r.Alone})
			}
			return out
		}
		out[i] = Process{
			ID: p.ID, Host: p.Host, PID: p.PID, Program: p.Program, Version: p.Build, Duequeue: p.Version, Up: millis(p.Up) + p.Age,
			TransferOnly: p.TransferOnly, Workers: p.Workers, Usable: p.Usable, Rate: p.Rate,
			Intake: health.Intake(p.Intake), Reason: health.Reason(p.Reason), Because: p.Because,
			LastError: cmp.Or(p.Error, p.ErrorKind), Handled: p.Handled, Failed: p.Failed, Held: p.Held, Running: ago(p.Running), Zombies: p.Zombies, Hung: ago(p.Hung), Suspects: p.Suspects,
			Policy: p.Policy.String(), Age: p.Age, Silent: p.Silent,
		}
	}
	return out
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// InFlight lists the messages of a queue that Go processes hold.
type InFlight struct {
	Queue    string
	Held     int64 // messages that Redis holds for Go processes, dead ones included
	Stranded int64 // of these, those of processes whose lease has ended
	Hung     int64 // handlers that were given up on and have not returned; their messages are retried
	Messages []InFlightMessage
}

// InFlightMessage is a message in the hand of a process.
type InFlightMessage struct {
	Running

	Host    string
	PID     int
	Process string // ID of its engine
	Hung    bool   // its handler was given up on: the message itself is retried
	Silent  bool   // of a process that should have said more since
}

// InFlightOf returns what Go processes have in hand, what runs for the longest time in front.
// Held counts all; Messages has those that the processes name, see [Process]. What Java has
// taken is gone from Redis.
func InFlightOf(ctx context.Context, c *framework.Client, queue string) (InFlight, error) {
	out := InFlight{Queue: queue}
	all, err := Processes(ctx, c, queue)
	if err != nil {
		return out, err
	}
	for _, p := range all {
		out.Hung += int64(p.Zombies)
		for i, r := range slices.Concat(p.Running, p.Hung) {
			out.Messages = append(out.Messages, InFlightMessage{Running: r, Host: p.Host, PID: p.PID, Process: p.ID, Hung: i >= len(p.Running), Silent: p.Silent})
		}
	}
	slices.SortStableFunc(out.Messages, func(a, b InFlightMessage) int { return cmp.Compare(b.For, a.For) })
	client := access.Of(c)
	partitions, _, err := partsOf(ctx, client, queue)
	if err != nil {
		return out, err
	}
	for _, keys := range partitions {
		held, stranded, err := heldOf(ctx, client.Redis, keys)
		if err != nil {
			return out, err
		}
		out.Held, out.Stranded = out.Held+held, out.Stranded+stranded
	}
	return out, nil
}

func heldOf(ctx context.Context, rdb redisapi.Client, keys wire.Keys) (all, stranded int64, err error) {
	held, now, err := heldNow(ctx, rdb, keys)
	for _, h := range held {
		all += h.Messages
		if h.Ended(now) {
			stranded += h.Messages
		}
	}
	return all, stranded, err
}
