package admin

import (
	"cmp"
	"context"
	"slices"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/causes"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// Refused is a right that the Redis user of Go processes lacks. One of Command, Key and Channel is set, or
// none where Redis does not say which key it refuses.
type Refused struct {
	User                  string // "" where it is not known
	Processes             int
	Command, Key, Channel string
}

// elsewhere is a right that a process lacks for another queue, whose Processes key it names.
type elsewhere struct {
	process, user string
	control.Refusal
}

// refuse counts a process whose user lacks a right.
func (q *QueueStatus) refuse(user string, r control.Refusal) {
	right := Refused{User: user, Command: r.Command, Key: r.Key, Channel: r.Channel}
	at := slices.IndexFunc(q.Refused, func(o Refused) bool { o.Processes = 0; return o == right })
	if at < 0 {
		at, q.Refused = len(q.Refused), append(q.Refused, right)
	}
	q.Refused[at].Processes++
}

// compare completes what only the status of other queues shows.
func compare(all []QueueStatus) {
	findNear(all)
	var told []elsewhere
	for _, q := range all {
		told = append(told, q.elsewhere...)
	}
	for i := range all {
		all[i].findRefused(told)
	}
}

// findRefused takes what processes say of this queue in others, of each process once.
func (q *QueueStatus) findRefused(told []elsewhere) {
	seen := map[string]bool{}
	for _, e := range told {
		if e.Key == q.processes && !seen[e.process] {
			seen[e.process] = true
			q.refuse(e.user, e.Refusal)
		}
	}
}

// Compare completes the status of queues that have messages and that no process takes by what only the
// other queues show: one of nearly the same name that waits for messages, and processes that lack the
// rights for this queue. It searches the database, as [QueueNames] does, where there is such a queue.
func Compare(ctx context.Context, c *framework.Client, found []QueueStatus) error {
	if !slices.ContainsFunc(found, func(q QueueStatus) bool { return q.astray() }) {
		return nil
	}
	names, _, failed := QueueNames(ctx, c, QueuesOptions{})
	told, err := toldElsewhere(ctx, access.Of(c), names)
	for i := range found {
		q := &found[i]
		if !q.astray() {
			continue
		}
		q.findRefused(told)
		name, wrong := nearTo(ctx, c, q.Queue, names)
		q.Near, err = name, cmp.Or(err, wrong)
	}
	return cmp.Or(failed, err)
}

// toldElsewhere reads what processes lack for other queues than those in which they say so.
func toldElsewhere(ctx context.Context, client access.Client, names []string) (told []elsewhere, err error) {
	p := budget.PaceOf(DefaultSearchShare)
	for part := range slices.Chunk(names, statusAtOnce) {
		var calls []script.Call
		for _, name := range part {
			if k, err := client.Keys(name); err == nil {
				calls = append(calls, control.PresenceCall(k))
			}
		}
		replies, err := budget.Ask(ctx, &p, func() ([]script.Reply, error) { return script.RunAll(ctx, client.Redis, calls), ctx.Err() })
		if err != nil {
			return told, err
		}
		for _, reply := range replies {
			var q QueueStatus
			all, _ := control.ParseProcesses(reply) // the status of that queue says why it is not known
			for _, p := range all {
				q.said(p)
			}
			told = append(told, q.elsewhere...)
		}
	}
	return told, nil
}

// nearTo returns that of some queues which is served, has no messages, and has nearly the same name.
func nearTo(ctx context.Context, c *framework.Client, queue string, names []string) (string, error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == queue || !near(queue, name) })
	if len(names) == 0 {
		return "", nil
	}
	all, err := StatusOf(ctx, c, names...)
	for _, q := range all {
		if q.waits() {
			return q.Queue, nil
		}
	}
	return "", err
}

// deaf counts the processes whose user may not listen to the channel of the queue.
func (q *QueueStatus) deaf() (n int) {
	for _, r := range q.Refused {
		if r.Channel != "" {
			n = max(n, r.Processes)
		}
	}
	return n
}

// denied reports whether no process can take, since they lack a right.
func (q *QueueStatus) denied() bool {
	return slices.ContainsFunc(q.Refused, func(r Refused) bool { return r.Channel == "" && r.Processes >= q.Takers })
}

// rights reports rights that processes lack.
func (j *judge) rights() {
	for _, r := range j.Refused {
		refusal := control.Refusal{Command: r.Command, Key: r.Key, Channel: r.Channel}
		state, severity := "denied", SeverityError
		if r.Channel != "" {
			state, severity = "deaf", SeverityWarning
		}
		j.add(state, "permission", severity, int64(r.Processes), causes.Refused(r.User, processes(r.Processes), refusal),
			"this command prints the missing rule, for redis-cli: it takes nothing from the user").Command = causes.Grant("", r.User, shellName(j.Queue), j.partitions, refusal)
	}
}

// othersCheck is a hint: the queue is fine with it, and its line does not have it.
const othersCheck = "others"

// others is a hint at programs that do not say what they do. A Java program takes messages out of Redis
// before it reads them.
func (j *judge) others() {
	n := j.Listeners - int64(j.Processes)
	if n <= 0 || j.Takers == 0 {
		return
	}
	codec := ""
	if j.Codec != "" {
		codec = ", " + j.Codec + " as Go declares it"
	}
	j.add(othersCheck, othersCheck, SeverityInfo, n, count(n, "other program listens", "other programs listen")+" to this queue: Java programs, or Go programs that only offer. A message that a Java program takes and cannot read is lost, and Redis shows nothing of it",
		"check that the codec of Java programs that take from this queue reads its messages"+codec+": this command shows their classes").Command = j.command("inspect")
}
