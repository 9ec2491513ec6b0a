package jvm

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

// Look is one of a queue's two halves as Java's methods see it: what is pending
// (RDelayedQueue) or what is ready (RBlockingQueue).
type Look struct {
	queue *Queue
	half  string
}

// Delayed looks at what is pending; it makes the RDelayedQueue, see [Queue.Hold].
func (q *Queue) Delayed() Look { return Look{queue: q, half: "delayed"} }

// Ready looks at what is due and not yet taken.
func (q *Queue) Ready() Look { return Look{queue: q, half: "ready"} }

// Size is Java's size().
func (l Look) Size(tb testing.TB) int {
	tb.Helper()
	return l.queue.jvm.number(tb, "%s.size %s", l.half, l.queue.name)
}

// Contains is Java's contains(value).
func (l Look) Contains(tb testing.TB, value Text) bool {
	tb.Helper()
	return l.truth(tb, "contains", value)
}

// Remove is Java's remove(value).
func (l Look) Remove(tb testing.TB, value Text) bool {
	tb.Helper()
	return l.truth(tb, "remove", value)
}

// All is Java's containsAll, removeAll or retainAll of the values of a list.
func (l Look) All(tb testing.TB, method string, values Text) bool {
	tb.Helper()
	return l.truth(tb, method+"All", values)
}

func (l Look) truth(tb testing.TB, method string, value Text) bool {
	tb.Helper()
	return l.queue.jvm.must(tb, "%s.%s %s %s", l.half, method, l.queue.name, value) == "true"
}

// ReadAll is Java's readAll().
func (l Look) ReadAll(tb testing.TB) []any {
	tb.Helper()
	return l.queue.jvm.list(tb, "%s.readAll %s", l.half, l.queue.name)
}

// Peek is Java's peek(), nil for an empty queue as for a null.
func (l Look) Peek(tb testing.TB) any {
	tb.Helper()
	return parse(tb, Text(l.queue.jvm.must(tb, "%s.peek %s", l.half, l.queue.name)))
}

// Poll is Java's poll(), nil for an empty queue as for a null.
func (l Look) Poll(tb testing.TB) any {
	tb.Helper()
	return parse(tb, Text(l.queue.jvm.must(tb, "%s.poll %s", l.half, l.queue.name)))
}

// PollMany is Java's poll(limit), which came with 3.11.6.
func (l Look) PollMany(tb testing.TB, limit int) []any {
	tb.Helper()
	return l.queue.jvm.list(tb, "%s.pollMany %s %d", l.half, l.queue.name, limit)
}

func (j *JVM) list(tb testing.TB, format string, args ...any) []any {
	tb.Helper()
	answer := j.must(tb, format, args...)
	list, ok := parse(tb, Text(answer)).(*java.List)
	if !ok {
		tb.Fatalf("strange answer %q", answer)
	}
	return list.Elements
}
