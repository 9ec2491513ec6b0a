package framework_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
)

func TestPendingOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("pending ops"), t.Context()
	for i, v := range []string{"b", "a", "b", "c", "b"} {
		if _, err := framework.Bind(b.client, q).Offer(ctx, v, time.Duration(i+1)*time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	for m, err := range framework.Bind(b.client, q).Pending().All(ctx) {
		if err != nil || m.Err != nil || m.ID == "" || m.Due.IsZero() {
			t.Fatal(m, err)
		}
		all = append(all, m.Payload)
	}
	if fmt.Sprint(all) != "[b a b c b]" {
		t.Errorf("all: %v", all)
	}
	ids, err := framework.Bind(b.client, q).Pending().Find(ctx, "b", 0)
	if err != nil || len(ids) != 3 {
		t.Errorf("found %v %v", ids, err)
	}
	if ids, err = framework.Bind(b.client, q).Pending().Find(ctx, "x", 0); err != nil || len(ids) != 0 {
		t.Errorf("found %v %v", ids, err)
	}
	if n, err := framework.Bind(b.client, q).Pending().Remove(ctx, "b", 2); err != nil || n != 2 {
		t.Errorf("removed %d %v", n, err)
	}
	polled, err := framework.Bind(b.client, q).Pending().Poll(ctx, 1)
	if err != nil || len(polled) != 1 || polled[0].Payload != "a" {
		t.Errorf("polled %+v %v", polled, err)
	}
	if got := pendingValues(t, b, q); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("left %q", got)
	}
	if n, err := framework.Bind(b.client, q).Pending().Clear(ctx); err != nil || n != 2 {
		t.Errorf("cleared %d %v", n, err)
	}
}

func TestReadyOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	q, ctx := stringQueue("ready ops"), t.Context()
	for _, v := range []string{"a", "b", "a", "c"} {
		if err := framework.Bind(b.client, q).Push(ctx, v); err != nil {
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
	if got := text(framework.Bind(b.client, q).Ready().Page(ctx, 1, 2)); got != "ba" {
		t.Errorf("from the second on: %s", got)
	}
	if n, err := framework.Bind(b.client, q).Ready().Remove(ctx, "a", 1); err != nil || n != 1 {
		t.Errorf("removed %d %v", n, err)
	}
	if got := text(framework.Bind(b.client, q).Ready().Poll(ctx, 2)); got != "ba" {
		t.Errorf("polled %s", got)
	}
	if got := text(framework.Bind(b.client, q).Ready().Poll(ctx, 9)) + text(framework.Bind(b.client, q).Ready().Poll(ctx, 9)); got != "c" {
		t.Errorf("polled %s", got)
	}
}

func TestGetOfAPendingMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, q := t.Context(), framework.Bind(b.client, stringQueue("get"))
	receipt, err := q.Offer(ctx, "paid?", time.Hour, framework.Key("order 7"))
	if err != nil {
		t.Fatal(err)
	}
	for name, get := range map[string]func() (framework.PendingMessage[string], error){
		"by ID":  func() (framework.PendingMessage[string], error) { return q.Pending().Get(ctx, receipt.ID) },
		"by key": func() (framework.PendingMessage[string], error) { return q.Pending().GetKey(ctx, "order 7") },
	} {
		m, err := get()
		if err != nil || m.ID != receipt.ID || m.Payload != "paid?" || !m.Due.Equal(receipt.Due) || m.Err != nil {
			t.Errorf("%s: %+v %v, want %+v", name, m, err, receipt)
		}
	}
	if err := q.Cancel(ctx, receipt.ID); err != nil {
		t.Fatal(err)
	}
	_, err = q.Pending().Get(ctx, receipt.ID)
	_ = wantNotPending(t, err, fault.WhereUnknown, receipt.ID, "")
	_, err = q.Pending().GetKey(ctx, "")
	var refused *fault.DedupError
	if !errors.As(err, &refused) {
		t.Errorf("an empty key: %v, want a DedupError", err)
	}
}

func TestReadyAllAndClear(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, q := t.Context(), framework.Bind(b.client, stringQueue("ready ops"))
	for i := range 40 {
		if err := q.Push(ctx, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for m, err := range q.Ready().All(ctx) {
		if err != nil || m.Err != nil || m.Payload != fmt.Sprint(n) {
			t.Fatalf("message %d: %+v %v", n, m, err)
		}
		n++
	}
	page, err := q.Ready().Page(ctx, 30, 0)
	if err != nil || n != 40 || len(page) != 10 || page[0].Payload != "30" {
		t.Errorf("%d read; from 30 on: %+v %v", n, page, err)
	}
	if n, err := q.Ready().Clear(ctx); err != nil || n != 40 {
		t.Errorf("cleared %d %v, want 40", n, err)
	}
	if c, err := q.Counts(ctx); err != nil || c.Ready != 0 {
		t.Errorf("left %+v %v", c, err)
	}
}

// An offer whose key is the empty text is a mistake: an order without its number, say.
func TestOfferWithAnEmptyKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, q := t.Context(), framework.Bind(b.client, stringQueue("empty key"))
	var refused *fault.DedupError
	if _, err := q.Offer(ctx, "x", 0, framework.Key("")); !errors.As(err, &refused) {
		t.Errorf("offer: %v, want a DedupError", err)
	}
	bulk, err := q.OfferAll(ctx, slices.Values([]framework.Item[string]{{Value: "a", Key: framework.Key("")}, {Value: "b"}}))
	if !errors.As(err, &refused) || bulk.Added != 1 || bulk.Failed != 1 {
		t.Errorf("bulk offer: %+v %v, want one refused", bulk, err)
	}
}
