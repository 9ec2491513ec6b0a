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
	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// An offer that waits for a replica succeeds while that follows, and says so when it
// hangs; the message is in either way.
func TestAwaitReplicas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	replica := redisserver.Start(t, redisserver.Args("--replicaof", "127.0.0.1", strconv.Itoa(b.server.Port())))
	q, ctx := stringQueue("await"), t.Context()
	patient, short := framework.AwaitReplicas(1, 10*time.Second), framework.AwaitReplicas(1, 50*time.Millisecond)
	offer := func(key string, o framework.OfferOption) (framework.Receipt, error) {
		return framework.OfferMessage(ctx, b.client, q,
			framework.Message[string]{Value: "x", Delay: time.Hour, Dedup: framework.Dedup{Key: key}}, o, nil)
	}
	messages := make([]framework.Message[string], 450)
	for i := range messages {
		messages[i] = framework.Message[string]{Value: fmt.Sprint(i), Delay: time.Hour}
	}

	for _, key := range []string{"", "one"} {
		if r, err := offer(key, patient); err != nil || r.ID == "" {
			t.Errorf("key %q: %+v %v", key, r, err)
		}
	}
	// Nothing is written by this one: what it found is on the replica.
	if r, err := offer("one", patient); err != nil || r.Dedup != framework.DedupKept {
		t.Errorf("kept: %+v %v", r, err)
	}
	if n, err := framework.OfferAll(ctx, b.client, q, slices.Values(messages), patient); err != nil || n.Added != 450 {
		t.Errorf("%+v %v", n, err)
	}
	if n := replica.Client().ZCard(ctx, "redisson_delay_queue_timeout:{await}").Val(); n != 452 {
		t.Errorf("the replica has %d", n)
	}

	replica.Pause()
	defer replica.Resume()
	var too *framework.ReplicationError
	for _, key := range []string{"", "two", "two"} { // the last one is kept
		r, err := offer(key, short)
		if !errors.As(err, &too) || too.Want != 1 || too.Got != 0 || r.ID == "" {
			t.Errorf("key %q: %+v %v", key, r, err)
		}
		if err := framework.Cancel(ctx, b.client, q, r.ID); err != nil && key == "" {
			t.Errorf("it is not in: %v", err)
		}
	}
	receipts := 0
	n, err := framework.OfferAll(ctx, b.client, q, slices.Values(messages), short, framework.OnResult(
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
	if _, err := offer("", framework.AwaitReplicas(0, time.Hour)); err != nil {
		t.Error(err)
	}
}

// Without any replica the wait ends with its timeout, also on a Cluster.
func TestAwaitReplicasOfCluster(t *testing.T) {
	t.Parallel()
	cluster := redisserver.StartCluster(t)
	c, err := framework.Open(t.Context(), framework.Config{Redis: framework.RedisConfig{
		Mode: framework.ModeCluster, Addrs: cluster.Addrs(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	q := stringQueue("await:cluster")
	var too *framework.ReplicationError
	r, err := framework.OfferMessage(t.Context(), c, q, framework.Message[string]{Delay: time.Hour}, framework.AwaitReplicas(1, time.Millisecond))
	if !errors.As(err, &too) || too.Err != nil || framework.Cancel(t.Context(), c, q, r.ID) != nil {
		t.Errorf("%+v %v", r, err)
	}
}

// A callback that panics does so on the caller's goroutine; what was begun ends by itself.
func TestOfferAllCallbackPanics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	messages := make([]framework.Message[string], 1000)
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
			_, err := framework.OfferAll(t.Context(), b.client, stringQueue("panics"), slices.Values(messages), opt)
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
	messages := make([]framework.Message[string], 2000)
	for i := range messages {
		messages[i] = framework.Message[string]{Value: fmt.Sprint(i), Delay: time.Hour}
	}
	for at, want := range map[int]error{len(messages) - 1: nil, 0: enough} {
		ctx, cancel := context.WithCancelCause(t.Context())
		n, err := framework.OfferAll(ctx, b.client, stringQueue(fmt.Sprint("ends ", at)), slices.Values(messages),
			framework.OnResult(func(i int, _ framework.Receipt, _ error) {
				if i == at {
					cancel(enough)
				}
			}))
		if !errors.Is(err, want) || (n.Added == len(messages)) != (want == nil) {
			t.Errorf("%+v %v, want %v", n, err, want)
		}
		cancel(nil)
	}
}
