package framework_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// An offer that waits for a replica succeeds while that follows, and says so when it
// hangs; the message is in either way.
func TestAwaitReplicas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replica := lab.StartRedis(t, lab.Args("--replicaof", "127.0.0.1", strconv.Itoa(b.server.Port())))
	q, ctx := stringQueue("await"), t.Context()
	patient, short := framework.AwaitReplicas(1, 10*time.Second), framework.AwaitReplicas(1, 50*time.Millisecond)
	offer := func(key framework.DedupKey, o framework.OfferOption) (framework.Receipt, error) {
		return framework.Bind(b.client, q).Offer(ctx, "x", time.Hour, key, o, nil)
	}
	messages := make([]framework.Item[string], 450)
	for i := range messages {
		messages[i] = framework.Item[string]{Value: fmt.Sprint(i), Delay: time.Hour}
	}

	one := framework.Key("one")
	for _, key := range []framework.DedupKey{{}, one} {
		if r, err := offer(key, patient); err != nil || r.ID == "" {
			t.Errorf("key %q: %+v %v", key, r, err)
		}
	}
	// Nothing is written by this one: what it found is on the replica.
	if r, err := offer(one, patient); err != nil || r.Outcome != framework.OutcomeKept {
		t.Errorf("kept: %+v %v", r, err)
	}
	if n, err := framework.Bind(b.client, q).OfferAll(ctx, slices.Values(messages), patient); err != nil || n.Added != 450 {
		t.Errorf("%+v %v", n, err)
	}
	if n := replica.Client().ZCard(ctx, "redisson_delay_queue_timeout:{await}").Val(); n != 452 {
		t.Errorf("the replica has %d", n)
	}

	replica.Pause()
	defer replica.Resume()
	var too *fault.ReplicationError
	two := framework.Key("two")
	for _, key := range []framework.DedupKey{{}, two, two} { // the last one is kept
		r, err := offer(key, short)
		if !errors.As(err, &too) || too.Want != 1 || too.Got != 0 || r.ID == "" {
			t.Errorf("key %q: %+v %v", key, r, err)
		}
		if err := framework.Bind(b.client, q).Cancel(ctx, r.ID); err != nil && key.String() == "" {
			t.Errorf("it is not in: %v", err)
		}
	}
	receipts := 0
	n, err := framework.Bind(b.client, q).OfferAll(ctx, slices.Values(messages), short, framework.OnResult(
		func(_ int, r framework.Receipt, err error) {
			if errors.As(err, &too) && r.ID != "" {
				receipts++
			}
		}))
	var bulk *framework.BulkError
	if !errors.As(err, &bulk) || !errors.As(err, &too) || n.Added != 450 || n.Unreplicated != 450 || n.Failed != 0 || receipts != 450 {
		t.Errorf("%+v, %d receipts, %v", n, receipts, err)
	}
	// Zero waits for nothing.
	if _, err := offer(framework.DedupKey{}, framework.AwaitReplicas(0, time.Hour)); err != nil {
		t.Error(err)
	}
}

// Without any replica the wait ends with its timeout, also on a Cluster.
func TestAwaitReplicasOfCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{
		Mode: framework.ModeCluster, Addrs: cluster.Addrs(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	q := stringQueue("await:cluster")
	var too *fault.ReplicationError
	r, err := framework.Bind(c, q).Offer(t.Context(), "", time.Hour, framework.AwaitReplicas(1, time.Millisecond))
	if !errors.As(err, &too) || too.Err != nil || framework.Bind(c, q).Cancel(t.Context(), r.ID) != nil {
		t.Errorf("%+v %v", r, err)
	}
}

// A callback that panics does so on the caller's goroutine; what was begun ends by itself.
func TestOfferAllCallbackPanics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	messages := make([]framework.Item[string], 1000)
	for _, opt := range []framework.BulkOption{
		framework.OnResult(func(int, framework.Receipt, error) { panic("mine") }),
		framework.OnProgress(0, func(framework.Bulk) { panic("mine") }),
	} {
		func() {
			defer func() {
				if got := recover(); got != "mine" {
					t.Errorf("recovered %v", got)
				}
			}()
			_, err := framework.Bind(b.client, stringQueue("panics")).OfferAll(t.Context(), slices.Values(messages), opt)
			t.Errorf("it returned %v", err)
		}()
	}
}

// The context ends when all are in: that is no error. It ends before: the rest is not
// read.
func TestOfferAllEndsWithTheContext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	enough := errors.New("enough")
	messages := make([]framework.Item[string], 2000)
	for i := range messages {
		messages[i] = framework.Item[string]{Value: fmt.Sprint(i), Delay: time.Hour}
	}
	for at, want := range map[int]error{len(messages) - 1: nil, 0: enough} {
		ctx, cancel := context.WithCancelCause(t.Context())
		n, err := framework.Bind(b.client, stringQueue(fmt.Sprint("ends ", at))).OfferAll(ctx, slices.Values(messages),
			framework.OnResult(func(i int, _ framework.Receipt, _ error) {
				if i == at {
					cancel(enough)
				}
			}))
		if !errors.Is(err, want) || (n.Added == int64(len(messages))) != (want == nil) {
			t.Errorf("%+v %v, want %v", n, err, want)
		}
		cancel(nil)
	}
}
