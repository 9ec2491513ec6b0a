package look

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/words"
	"github.com/duequeue/duequeue/framework/rlock"
)

const locksHelp = `
locks lists the locks of Redisson's RLock that Java and Go programs hold: the name, the
holder (the UUID of a client and the number of its thread), how often it holds the lock,
and for how long unless the lease is renewed. "unlock" frees one.

-match names the locks, as in 'order:*'; without it locks looks at every key of the
database, in steps with rests between them. Read-write locks are not listed. -json
prints one line for each lock.

The Redis user needs the commands scan, hlen, hgetall and pttl, and the keys of the locks.
`

func locksCommand(e *env.Env) *cli.Command {
	match := ""
	return e.Command(env.Spec{
		Name: "locks", Short: "list the locks that Java and Go programs hold", Group: env.GroupLook, Long: locksHelp,
		Examples: []string{"duequeue locks -match 'order:*'"}, JSON: lockLine{},
		Flags: []cli.Flag{env.String(&match, "match", "", "the names of the locks, a `PATTERN` of SCAN")},
		Run: func(ctx context.Context, args []string) error {
			if len(args) > 0 {
				return env.Usagef("locks: it takes no names: use -match")
			}
			return showLocks(ctx, e, match)
		},
	})
}

// lockLine is a lock in JSON.
type lockLine struct {
	Name   string  `json:"name"`
	Holder string  `json:"holder"`
	Holds  int64   `json:"holds"`
	Left   float64 `json:"left"` // seconds; negative without an end
}

func showLocks(ctx context.Context, e *env.Env, match string) (err error) {
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	var t screen.Table
	t.Header("LOCK", "HOLDER", "HOLDS", "LEFT")
	n := int64(0)
	for lock, err := range rlock.HeldLocks(ctx, client, match) {
		if err != nil {
			return err
		}
		n++
		if e.JSON {
			if err := e.Line(lockLine{lock.Name, lock.Holder, lock.Holds, lock.Left.Seconds()}); err != nil {
				return err
			}
			continue
		}
		left := "no end"
		if lock.Left >= 0 {
			left = words.Span(lock.Left.Round(time.Second))
		}
		t.Row(screen.Clean(lock.Name), lock.Holder, strconv.FormatInt(lock.Holds, 10), left)
	}
	if e.JSON {
		return nil
	}
	if n == 0 {
		fmt.Fprintln(e.Stdout, "no lock is held")
		return nil
	}
	return t.Write(e.Stdout)
}
