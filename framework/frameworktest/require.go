package frameworktest

import (
	"fmt"
	"strings"
	"time"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// RequireHandled fails the test unless n messages of the queue have been handled
// without an error.
func (k *Kit) RequireHandled(q registry.Descriptor, n int) {
	k.t.Helper()
	if got := k.ended(q, handlers.Done, false); got != n {
		k.t.Fatalf("%s: %d messages handled, want %d%s", q.Code(), got, n, k.story(q))
	}
}

// RequireRetried fails the test unless n calls of the queue's handler ended with an
// error that asks for another attempt, and got one.
func (k *Kit) RequireRetried(q registry.Descriptor, n int) {
	k.t.Helper()
	if got := k.ended(q, handlers.Retried, true); got != n {
		k.t.Fatalf("%s: %d calls to be retried, want %d%s", q.Code(), got, n, k.story(q))
	}
}

// RequireDead fails the test unless n messages of the queue are in the dead store.
func (k *Kit) RequireDead(q registry.Descriptor, n int) {
	k.t.Helper()
	if got := k.Counts(q).Dead; got != n {
		k.t.Fatalf("%s: %d messages in the dead store, want %d%s", q.Code(), got, n, k.story(q))
	}
}

// RequirePending fails the test unless n messages of the queue wait for their time.
func (k *Kit) RequirePending(q registry.Descriptor, n int) {
	k.t.Helper()
	if got := k.Counts(q).Pending; got != n {
		k.t.Fatalf("%s: %d messages pending, want %d%s", q.Code(), got, n, k.story(q))
	}
}

// ended counts the calls with an outcome, on request without last attempts.
func (k *Kit) ended(q registry.Descriptor, kind handlers.Kind, again bool) int {
	n := 0
	for _, c := range k.Calls(q) {
		if c.Outcome == kind && (!again || !c.Last) {
			n++
		}
	}
	return n
}

// story tells all that is known of a queue, for a failed assertion.
func (k *Kit) story(q registry.Descriptor) string {
	k.t.Helper()
	var b strings.Builder
	c := k.Counts(q)
	fmt.Fprintf(&b, "\n\tnow %s: %d pending, %d ready, %d running, %d dead",
		clock(time.Now()), c.Pending, c.Ready, c.Running, c.Dead)
	for _, call := range k.Calls(q) {
		fmt.Fprintf(&b, "\n\t%s attempt %d of %v: %v", clock(call.Started), call.Attempt, call.Payload, result(call))
	}
	for _, d := range k.Dead(q) {
		fmt.Fprintf(&b, "\n\tdead (%s): %s", d.Reason, d.Detail)
	}
	return b.String()
}

func result(c Call) string {
	if c.Err == nil {
		return "handled"
	}
	return fmt.Sprintf("%v: %v", c.Outcome, c.Err)
}

// clock prints virtual time; a bubble starts at midnight.
func clock(t time.Time) string { return t.UTC().Format("Jan 2 15:04:05.000") }
