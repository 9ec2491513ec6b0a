package repair

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/rlock"
)

const unlockHelp = `
unlock frees a lock of Redisson's RLock, whoever holds it, as Java's forceUnlock does, and
wakes those that wait. "duequeue locks" lists the locks.

The holder does not know until it renews the lock, ten seconds by default, so that two
programs may work on the same thing until then: use it for a holder that hangs, or whose
lock has no end. A lock of a program that died is free when its lease ends, 30 seconds by
default.

Each name is audited with -reason. The exit code is 1 when nobody held a lock.

The Redis user needs the commands hexists, del and publish, the keys of the locks, the
channels redisson_lock__channel:*, and the key of the audit (duequeue:audit).
`

func unlockCommand(e *env.Env) *cli.Command {
	reason, yes := "", false
	return e.Command(env.Spec{
		Name: "unlock", Args: "LOCK...", Short: "free locks that a Java or Go program holds", Group: env.GroupRepair, Long: unlockHelp,
		Examples: []string{"duequeue unlock -reason 'pod shop-7 hangs' -yes order:4711"},
		Flags: []cli.Flag{
			env.String(&reason, "reason", "", "why, for the audit: a `TEXT`"),
			env.Bool(&yes, "yes", false, "do not ask"),
		},
		Run: func(ctx context.Context, locks []string) error {
			switch {
			case len(locks) == 0:
				return env.Usagef("unlock: no lock given")
			case reason == "":
				return env.Usagef("unlock needs a reason: add -reason TEXT")
			case !yes && !screen.IsTerminal(e.Stdin):
				return env.Usagef("unlock: another program may hold the lock and work. Add -yes to confirm")
			}
			return unlock(ctx, e, locks, reason, yes)
		},
	})
}

func unlock(ctx context.Context, e *env.Env, locks []string, reason string, yes bool) (err error) {
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	free := false
	for _, name := range locks {
		if !yes {
			sure, err := screen.Ask(e.Stdin, e.Stderr, fmt.Sprintf("Free the lock %s, whoever holds it?", screen.Name(name)))
			if err != nil {
				return err
			}
			if !sure {
				return fmt.Errorf("nothing was done to %s", screen.Name(name))
			}
		}
		result := "nobody held it"
		err := e.Audited(ctx, client, admin.Action{Action: "unlock", Queue: name, Target: "lock", Reason: reason}, func(ctx context.Context) (string, error) {
			held, err := rlock.Unlock(ctx, client, name)
			if held {
				result = "free now"
			}
			free = free || err == nil && !held
			return result, err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stdout, "%s: %s\n", screen.Name(name), result)
	}
	if free {
		return env.ErrReported
	}
	return nil
}
