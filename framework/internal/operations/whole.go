package operations

import (
	"context"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/framework/admin"
)

var move = Operation{
	Name: "move", Subject: Whole, Role: "operate", CommandOnly: "it is done to two queues, for each of which a user has a role",
	Short: "move messages to another queue",
	Help: `
move gives what is ready and pending in queue FROM to queue TO, for example what a program
has offered to a misspelt name. Both queues must exist. Each message keeps its bytes, its due
time, its ID, its key and its attempts. What processes hold, and dead letters, stay:
"duequeue dead redrive FROM" makes those ready first.

Without -yes it changes nothing, and says what it would do. Java and Go may go on at the same time:
stop the program that offers to the wrong name first, or run move again. Each message is moved
once, also where move is killed: what it had put aside is moved by the next run, and
"duequeue queues" shows it until then.

-json prints one line of JSON. The exit code is 1 when something failed.

The Redis user needs what "duequeue acl -role operate FROM TO" prints.
`,
	Examples: []string{"duequeue move ORDRES ORDERS", "duequeue move ORDRES ORDERS -yes -reason misspelt"},
	Done:     "moved",
	New: func() *Run {
		share := admin.DefaultFieldShare
		return &Run{
			Args: []*Arg{shareOf(&share)}, Check: func(bool) error { return checkShare(share) },
			One: func(ctx context.Context, c *Call) (Result, error) {
				o := admin.MoveOptions{DryRun: c.Dry, Share: share, Progress: func(d admin.Moved) { c.tell(d.Moved+d.There, nil) }}
				done, err := admin.Move(ctx, c.Client, c.Queue, c.Name, o)
				return Result{Said: fmt.Sprintf("%d moved", done.Moved), Of: done}, err
			},
		}
	},
}

var forget = Operation{
	Name: "forget", Subject: Whole, Role: "admin", CommandOnly: "it is done to all queues of the server, and may need their Java classes",
	Short: "remove what is kept of a person: records, dead letters",
	Help: `
forget removes what Redis keeps of a person whose messages are done: records of the journal
and dead letters whose offers had KEY as their key, and what is kept next to messages with that
key that were handled, or that Java has taken. With -field, also those in which one of these
fields has KEY as its value: the fields of records, and those of payloads, which it reads
(Kryo's user classes need -classes). It looks at the queues that are named or, without a name, at all of the server.

Messages that are still to be handled stay, and are shown: cancel them, or run forget again
when they are done. The exit code is 1 where there are some, or where a payload could not be
read. The audit has an entry for each queue, without KEY; older entries of the audit stay, and
so do logs, traces and backups, which are not in Redis's queues. Errors of retries that Java has
taken stay for a week where KEY is not their key, digests of payloads for a day or two.

It cannot be undone: at a terminal it asks, elsewhere it needs -yes. -dry-run changes
nothing and says what would be removed.
`,
	Examples: []string{"duequeue forget customer-12 -dry-run", "duequeue forget 12 ORDERS -field customer.id -yes"},
	Question: "Forget %s for good", AsksEach: true, Done: "removed",
	New: func() *Run {
		o := admin.ForgetOptions{Share: admin.DefaultFieldShare}
		var fields []string
		return &Run{
			Args: []*Arg{
				{Name: "field", To: &fields, Help: "remove what has KEY in this `FIELD`, too; may be given several times, or several by comma"},
				shareOf(&o.Share),
			},
			Check: func(bool) error { return checkShare(o.Share) },
			One: func(ctx context.Context, c *Call) (Result, error) {
				if o.DryRun = c.Dry; len(fields) > 0 {
					o.Payloads = admin.Payloads{Decode: c.Decode, SearchFields: fields}
				}
				o.Progress = func(r admin.Forgotten) { c.tell(r.Records+r.Dead+r.Kept, nil) }
				r, err := admin.Forget(ctx, c.Client, c.Queue, c.Name, o)
				return Result{Said: removed(r), Of: r}, err
			},
		}
	},
}

func shareOf(to *float64) *Arg {
	return &Arg{Name: "share", To: to, Help: "`PART` of the time for which a server works for this, 0.001 to 1"}
}

func checkShare(share float64) error {
	if share >= 0.001 && share <= 1 {
		return nil
	}
	return errors.New("-share must be from 0.001 to 1")
}

func removed(r admin.Forgotten) string {
	text := counted(r.Records, "record") + " and " + counted(r.Dead, "dead letter")
	if r.Kept > 0 {
		text += " and " + counted(r.Kept, "record") + " of keys next to messages"
	}
	return text
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
