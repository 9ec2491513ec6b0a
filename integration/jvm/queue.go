package jvm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Client is one Redisson client, as one Java service has it.
type Client struct {
	jvm    *JVM
	name   string
	closed bool
}

// Open connects a Redisson client to a single server until the test ends.
func (j *JVM) Open(tb testing.TB, url string) *Client {
	tb.Helper()
	c := &Client{jvm: j, name: j.name("client")}
	j.must(tb, "open %s %s", c.name, url)
	tb.Cleanup(func() { c.Close(tb) })
	return c
}

// Close shuts the client down, as the end of a Java service does. Up to Redisson
// 3.41 it is the only way to end a transfer whose timer runs: destroy() leaves it.
// Queues of the client are of no use afterwards; closing again is harmless.
func (c *Client) Close(tb testing.TB) {
	tb.Helper()
	if c.closed {
		return
	}
	c.closed = true
	if err := c.jvm.CloseClient(context.WithoutCancel(tb.Context()), c.name); err != nil {
		tb.Errorf("close the Redisson client: %v", err)
	}
}

// CloseClient shuts a client down that was opened under a name. It may take long:
// Redisson up to 3.13 was seen to wait 15 s for threads that do not end.
func (j *JVM) CloseClient(ctx context.Context, name string) error {
	_, err := j.Call(ctx, "close %s", name)
	return err
}

func (j *JVM) name(kind string) string { return fmt.Sprintf("%s%d", kind, j.names.Add(1)) }

func (j *JVM) must(tb testing.TB, format string, args ...any) string {
	tb.Helper()
	answer, err := j.Call(tb.Context(), format, args...)
	if err != nil {
		tb.Fatal(err)
	}
	return answer
}

// EncodeHex writes a value by one of Redisson's codecs, without Redis.
func (j *JVM) EncodeHex(tb testing.TB, codec string, value Text) string {
	tb.Helper()
	return j.must(tb, "encode %s %s", codec, value)
}

// DecodeHex reads a payload by one of Redisson's codecs, without Redis.
func (j *JVM) DecodeHex(tb testing.TB, codec, hex string) any {
	tb.Helper()
	return parse(tb, Text(j.must(tb, "decode %s %s", codec, hex)))
}

// EqualHex tells whether what one of Redisson's codecs reads from a payload equals
// a value, as Java's equals sees it, and how it prints; or what Java threw.
func (j *JVM) EqualHex(tb testing.TB, codec, hex string, value Text) (equal bool, got string) {
	tb.Helper()
	answer, err := j.Call(tb.Context(), "equal %s %s %s", codec, hex, value)
	if err != nil {
		return false, err.Error()
	}
	verdict, text, _ := strings.Cut(answer, " ")
	return verdict == "true", text
}

// Verdict says whether one of Redisson's codecs reads a value that it writes:
// [ReadsEqual], "other VALUE" where something else comes back, "write CLASS" or "read
// CLASS" where it throws.
type Verdict string

// ReadsEqual is the verdict on a value that comes back.
const ReadsEqual Verdict = "equal"

// Written reports whether the codec writes the value at all.
func (v Verdict) Written() bool { return !strings.HasPrefix(string(v), "write ") }

// Lost reports whether the codec writes the value and then fails to read it.
func (v Verdict) Lost() bool { return strings.HasPrefix(string(v), "read ") }

// ReadBack lets one of Redisson's codecs write a value and read it again.
func (j *JVM) ReadBack(tb testing.TB, codec string, value Text) Verdict {
	tb.Helper()
	return Verdict(j.must(tb, "readback %s %s", codec, value))
}

// SampleValue returns what a sample of the Java program is.
func (j *JVM) SampleValue(tb testing.TB, name string) any {
	tb.Helper()
	return parse(tb, Text(j.must(tb, "sample %s", name)))
}

func parse(tb testing.TB, text Text) any {
	tb.Helper()
	v, err := Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// Queue is an RBlockingQueue and, from [Queue.Hold] or the first offer on, its
// RDelayedQueue. Methods fail the test when Java throws.
type Queue struct {
	jvm  *JVM
	name string
}

// Queue opens a queue by the codec's short name ("default" for what Redisson
// chooses) and the queue's name.
func (c *Client) Queue(tb testing.TB, codec, queue string) *Queue {
	tb.Helper()
	q := &Queue{jvm: c.jvm, name: c.jvm.name("queue")}
	c.jvm.must(tb, "queue %s %s %s %s", q.name, c.name, codec, queue)
	return q
}

// Kind is Queue with another kind of destination than an RBlockingQueue, such as "PriorityDeque",
// and the codec that Redisson chooses: false where the release has no such kind, or makes no
// RDelayedQueue for it. [Queue.Ready]
// is of that kind; [Queue.Take] is the RBlockingQueue's still.
func (c *Client) Kind(tb testing.TB, kind, queue string) (*Queue, bool) {
	tb.Helper()
	q := &Queue{jvm: c.jvm, name: c.jvm.name("queue")}
	_, err := c.jvm.Call(tb.Context(), "kind %s %s %s %s", q.name, c.name, kind, queue)
	var thrown *CommandError
	if errors.As(err, &thrown) && (thrown.Class == "java.lang.NoSuchMethodException" || thrown.Class == "java.lang.ClassCastException") {
		return nil, false
	}
	if err != nil {
		tb.Fatal(err)
	}
	return q, true
}

// Hold makes the RDelayedQueue: from now on this client transfers what is due.
func (q *Queue) Hold(tb testing.TB) {
	tb.Helper()
	q.jvm.must(tb, "hold %s", q.name)
}

// Destroy ends the RDelayedQueue. A timer that runs already still transfers once, up
// to Redisson 3.41.
func (q *Queue) Destroy(tb testing.TB) {
	tb.Helper()
	q.jvm.must(tb, "destroy %s", q.name)
}

// Offer offers a value with a delay.
func (q *Queue) Offer(tb testing.TB, value Text, delay time.Duration) {
	tb.Helper()
	q.jvm.must(tb, "offer %s %d %s", q.name, delay.Milliseconds(), value)
}

// OfferTraced offers a map after putting a traceparent of the two ids (hex) into it.
func (q *Queue) OfferTraced(tb testing.TB, value Text, delay time.Duration, traceID, spanID string) {
	tb.Helper()
	q.jvm.must(tb, "offerTraced %s %d %s %s %s", q.name, delay.Milliseconds(), traceID, spanID, value)
}

// OfferMany offers prefix-0 to prefix-(n-1) as strings, each with its own random
// delay up to maxDelay.
func (q *Queue) OfferMany(tb testing.TB, prefix string, n int, maxDelay time.Duration, seed int) {
	tb.Helper()
	q.jvm.must(tb, "offerMany %s %s %d %d %d", q.name, prefix, n, maxDelay.Milliseconds(), seed)
}

// Taken is what take() returned.
type Taken struct {
	At    time.Time // by Java's clock
	Equal bool      // whether Java says that it equals the expected value
	Value any
}

// Take waits for the next value as take() does, at most for the timeout.
func (q *Queue) Take(tb testing.TB, timeout time.Duration, expected Text) Taken {
	tb.Helper()
	taken, err := q.TryTake(tb, timeout, expected)
	if err != nil {
		tb.Fatal(err)
	}
	return taken
}

// TryTake is Take for a codec that may fail to read: a [*CommandError].
func (q *Queue) TryTake(tb testing.TB, timeout time.Duration, expected Text) (Taken, error) {
	tb.Helper()
	answer, err := q.jvm.CallWithin(tb.Context(), timeout+callTimeout, "take %s %d %s", q.name, timeout.Milliseconds(), expected)
	if err != nil {
		return Taken{}, err
	}
	parts := strings.SplitN(answer, " ", 3)
	if len(parts) != 3 {
		tb.Fatalf("take: strange answer %q", answer)
	}
	ms, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		tb.Fatalf("take: strange answer %q: %v", answer, err)
	}
	return Taken{At: time.UnixMilli(ms), Equal: parts[1] == "true", Value: parse(tb, Text(parts[2]))}, nil
}

// StartConsuming takes everything that becomes ready, in the background.
func (q *Queue) StartConsuming(tb testing.TB) {
	tb.Helper()
	q.jvm.must(tb, "consume.start %s", q.name)
}

// Consumed is how many values came since StartConsuming.
func (q *Queue) Consumed(tb testing.TB) int {
	tb.Helper()
	return q.jvm.number(tb, "consume.count %s", q.name)
}

// StopConsuming ends it without losing what was popped, and returns what came.
func (q *Queue) StopConsuming(tb testing.TB) []any {
	tb.Helper()
	return q.jvm.list(tb, "consume.stop %s", q.name)
}

func (j *JVM) number(tb testing.TB, format string, args ...any) int {
	tb.Helper()
	answer := j.must(tb, format, args...)
	n, err := strconv.Atoi(answer)
	if err != nil {
		tb.Fatalf("strange answer %q: %v", answer, err)
	}
	return n
}

// Partitions is the class PartitionedDelayedQueue of one Java service.
type Partitions struct {
	jvm  *JVM
	name string
}

// Partitions opens a queue of n partitions; from now on this client transfers what is due.
func (c *Client) Partitions(tb testing.TB, codec, queue string, n int) *Partitions {
	tb.Helper()
	p := &Partitions{jvm: c.jvm, name: c.jvm.name("partitions")}
	c.jvm.must(tb, "partitions.open %s %s %s %d %s", p.name, c.name, codec, n, queue)
	return p
}

// Offer offers to the partitions in turn.
func (p *Partitions) Offer(tb testing.TB, value Text, delay time.Duration) {
	tb.Helper()
	p.jvm.must(tb, "partitions.offer %s %d %s", p.name, delay.Milliseconds(), value)
}

// OfferKey offers to the partition of a key.
func (p *Partitions) OfferKey(tb testing.TB, key string, value Text, delay time.Duration) {
	tb.Helper()
	p.jvm.must(tb, "partitions.offerKey %s %s %d %s", p.name, key, delay.Milliseconds(), value)
}

// Take begins to take from all partitions.
func (p *Partitions) Take(tb testing.TB) {
	tb.Helper()
	p.jvm.must(tb, "partitions.take %s", p.name)
}

// Taken is what was taken so far.
func (p *Partitions) Taken(tb testing.TB) []any {
	tb.Helper()
	return p.jvm.list(tb, "partitions.taken %s", p.name)
}

// Stop ends the takers.
func (p *Partitions) Stop(tb testing.TB) {
	tb.Helper()
	p.jvm.must(tb, "partitions.stop %s", p.name)
}
