package framework_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
)

func TestPendingOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("pending ops"), t.Context()
	for i, v := range []string{"b", "a", "b", "c", "b"} {
		if _, err := framework.Offer(ctx, b.client, q, v, time.Duration(i+1)*time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for m, err := range framework.PendingAll(ctx, b.client, q) {
		if err != nil || m.Err != nil || m.ID == "" || m.Due.IsZero() {
			t.Fatal(m, err)
		}
		all = append(all, m.Payload)
	}
	if fmt.Sprint(all) != "[b a b c b]" {
		t.Errorf("all: %v", all)
	}
	ids, err := framework.FindPending(ctx, b.client, q, "b", 0)
	if err != nil || len(ids) != 3 {
		t.Errorf("found %v %v", ids, err)
	}
	if ids, err = framework.FindPending(ctx, b.client, q, "x", 0); err != nil || len(ids) != 0 {
		t.Errorf("found %v %v", ids, err)
	}
	if n, err := framework.RemovePending(ctx, b.client, q, "b", 2); err != nil || n != 2 {
		t.Errorf("removed %d %v", n, err)
	}
	polled, err := framework.PollPending(ctx, b.client, q, 1)
	if err != nil || len(polled) != 1 || polled[0].Payload != "a" {
		t.Errorf("polled %+v %v", polled, err)
	}
	if got := pendingValues(t, b, q); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("left %q", got)
	}
	if n, err := framework.ClearPending(ctx, b.client, q); err != nil || n != 2 {
		t.Errorf("cleared %d %v", n, err)
	}
}

func TestReadyOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("ready ops"), t.Context()
	for _, v := range []string{"a", "b", "a", "c"} {
		if err := framework.Push(ctx, b.client, q, v); err != nil {
			t.Fatal(err)
		}
	}
	text := func(ms []framework.ReadyMessage[string], err error) string {
		t.Helper()
		out := ""
		for _, m := range ms {
			if m.Err != nil || string(m.Body) != m.Payload {
				t.Errorf("%+v", m)
			}
			out += m.Payload
		}
		if err != nil {
			t.Error(err)
		}
		return out
	}
	if got := text(framework.Ready(ctx, b.client, q, 1, 2)); got != "ba" {
		t.Errorf("from the second on: %s", got)
	}
	if n, err := framework.RemoveReady(ctx, b.client, q, "a", 1); err != nil || n != 1 {
		t.Errorf("removed %d %v", n, err)
	}
	if got := text(framework.PollReady(ctx, b.client, q, 2)); got != "ba" {
		t.Errorf("polled %s", got)
	}
	if got := text(framework.PollReady(ctx, b.client, q, 9)) + text(framework.PollReady(ctx, b.client, q, 9)); got != "c" {
		t.Errorf("polled %s", got)
	}
}
