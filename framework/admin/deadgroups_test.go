package admin_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// bury puts a letter into a dead store, as it died at a ms.
func bury(t *testing.T, rdb *redis.Client, k wire.Keys, ms int, reason, detail string, body []byte) {
	t.Helper()
	id := fmt.Sprintf("%d-0", ms)
	if err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, ID: id, Values: []string{
		"body", string(body), "reason", reason, "detail", detail, "digest", "d", "at", fmt.Sprint(ms), "failed", "3",
	}}).Err(); err != nil {
		t.Fatal(err)
	}
}

// A developer sees after a deploy which causes of death there are, which of them are new, and
// redrives one of them alone.
func TestGroupDead(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, rdb, k := opened(t, srv), srv.Client(), wire.KeysOf("DEAD")
	order, refund := []byte(`{"@class":"com.demo.Order","orderId":"1"}`), []byte(`{"@class":"com.demo.Refund"}`)
	for i := range 250 {
		bury(t, rdb, k, 1000+10*i, "exhausted", fmt.Sprintf("dial tcp 10.0.0.%d:5432: connection refused after %dms", i%8, i), order)
		if i%2 == 0 {
			bury(t, rdb, k, 1001+10*i, "rejected", fmt.Sprintf("no order %d of %q", i, fmt.Sprint("customer", i)), order)
		}
		if i >= 200 {
			bury(t, rdb, k, 1002+10*i, "rejected", fmt.Sprintf("no order %d of %q", i, fmt.Sprint("customer", i)), refund)
		}
	}
	o := admin.DeadGroupsOptions{Payloads: admin.Payloads{Decode: jackson.JsonJackson().Decode}, Since: time.UnixMilli(3000), Share: 1, Time: time.Nanosecond}
	var so admin.DeadGroups
	calls := 0
	for !so.Done {
		var err error
		if so, err = admin.GroupDead(t.Context(), c, "DEAD", so, o); err != nil {
			t.Fatal(err)
		}
		calls++
	}
	var got []string
	for _, g := range so.Groups {
		got = append(got, fmt.Sprintf("%s %s %s: %d, %d to %d, %v", g.Reason, g.Class, g.Text, g.Count, g.First.UnixMilli(), g.Last.UnixMilli(), g.New))
	}
	want := []string{
		"rejected com.demo.Refund no order N of TEXT: 50, 3002 to 3492, true",
		"exhausted com.demo.Order dial tcp ADDRESS: connection refused after N: 250, 1000 to 3490, false",
		"rejected com.demo.Order no order N of TEXT: 125, 1001 to 3481, false",
	}
	if !slices.Equal(got, want) || so.Seen != 425 || so.Of != 425 || so.Others != 0 || calls < 5 {
		t.Errorf("%d calls, %q, %d of %d", calls, got, so.Seen, so.Of)
	}

	// What has died since is added.
	bury(t, rdb, k, 9000, "malformed", "too short", nil)
	so, err := admin.GroupDead(t.Context(), c, "DEAD", so, o)
	if err != nil || len(so.Groups) != 4 || so.Groups[0].Newest != "9000-0" || so.Seen != 426 {
		t.Fatalf("%+v %v", so, err)
	}

	q, err := admin.Queue(t.Context(), c, "DEAD")
	if err != nil {
		t.Fatal(err)
	}
	f := so.Groups[1].Filter(o.Payloads)
	if text := f.String(); text != "reason rejected, group "+so.Groups[1].Key {
		t.Error(text)
	}
	r, err := q.Dead().RedriveAll(t.Context(), framework.RedriveOptions{Filter: f, Rate: -1})
	if err != nil || r.Redriven != 50 || rdb.XLen(t.Context(), k.Dead).Val() != 376 {
		t.Errorf("%+v %v", r, err)
	}
	few, err := admin.GroupDead(t.Context(), c, "DEAD", admin.DeadGroups{}, admin.DeadGroupsOptions{Share: 1, Most: 1, Filter: framework.DeadFilter{Reasons: []string{"rejected", "malformed"}}})
	if err != nil || len(few.Groups) != 1 || few.Groups[0].Class != "" || few.Others != 1 {
		t.Errorf("%+v %v", few, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := admin.GroupDead(ctx, c, "DEAD", admin.DeadGroups{}, o); err == nil {
		t.Error("no error of an ended context")
	}
}

// Of what Kryo 5 wrote the class is known, though it cannot be read without it.
func TestGroupDeadOfKryo(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	k := wire.KeysOf("KRYO")
	body := append([]byte{1, 0}, "com.demo.Orde\xf2"...)
	bury(t, srv.Client(), k, 1000, "undecodable", "x", body)
	found, err := admin.GroupDead(t.Context(), opened(t, srv), "KRYO", admin.DeadGroups{}, admin.DeadGroupsOptions{Payloads: admin.Payloads{Decode: kryo5.New().Decode}, Share: 1})
	if err != nil || len(found.Groups) != 1 || found.Groups[0].Class != "com.demo.Order" {
		t.Errorf("%+v %v", found, err)
	}
}
