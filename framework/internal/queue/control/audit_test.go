package control

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// An entry is read as it was written, newest first, on Redis and on the one in memory.
func TestWrite(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	e := AuditEntry{Who: "alice", Role: "operate", Via: "console", Action: "redrive", Queue: "Q", Target: "1-1", Reason: "mended"}
	first, err := WriteAudit(t.Context(), rdb, e)
	if err != nil {
		t.Fatal(err)
	}
	ended := e
	ended.Of, ended.Result, ended.Failed = first, "3\x1b[31m redriven", true
	second, err := WriteAudit(t.Context(), rdb, ended)
	if err != nil {
		t.Fatal(err)
	}
	got, err := AuditPage(t.Context(), rdb, "", 10)
	e.ID, ended.ID, ended.Result = first, second, `3\x1b[31m redriven`
	if err != nil || len(got) != 2 || got[0] != ended || got[1] != e {
		t.Fatalf("%+v %v", got, err)
	}
	if age := time.Since(got[1].At()); age < -time.Minute || age > time.Minute {
		t.Errorf("written %v ago", age)
	}
	if got, err = AuditPage(t.Context(), rdb, second, 10); err != nil || len(got) != 1 || got[0] != e {
		t.Errorf("%+v %v", got, err)
	}
}

// The stream is bounded, entries are, and a full Redis takes them: who mends it is not
// refused.
func TestBounds(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, ctx := srv.Client(), t.Context()
	for range MostAudit + 500 {
		if _, err := WriteAudit(ctx, rdb, AuditEntry{Who: "bob", Action: "pause"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := rdb.XLen(ctx, wire.AuditKey).Val(); n < MostAudit || n > MostAudit+200 {
		t.Errorf("%d entries", n)
	}
	if _, err := WriteAudit(ctx, rdb, AuditEntry{Who: "bob", Action: "drop", Target: strings.Repeat("x", 1<<20)}); err != nil {
		t.Fatal(err)
	}
	if got, err := AuditPage(ctx, rdb, "", 1); err != nil || len(got[0].Target) > auditTarget+64 {
		t.Errorf("%d bytes of target %v", len(got[0].Target), err)
	}
	if err := rdb.ConfigSet(ctx, "maxmemory", "1mb").Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteAudit(ctx, rdb, AuditEntry{Who: "bob", Action: "drop"}); err != nil {
		t.Errorf("a full Redis: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	rdb, ctx := srv.Client(), t.Context()
	var denied *fault.PermissionError
	if _, err := WriteAudit(ctx, lab.AsUser(t, srv, "-xadd"), AuditEntry{Who: "bob"}); !errors.As(err, &denied) {
		t.Errorf("without XADD: %v", err)
	}
	rdb.Set(ctx, wire.AuditKey, "text", 0)
	var wrong *fault.WrongTypeError
	if _, err := WriteAudit(ctx, rdb, AuditEntry{Who: "bob"}); !errors.As(err, &wrong) {
		t.Errorf("a key of another type: %v", err)
	}
	for text, want := range map[string]bool{"1-2": true, "1700000000000-0": true, "": false, "1": false, "-1": false, "1-x": false, "+-1": false} {
		if ValidAuditID(text) != want {
			t.Errorf("%q", text)
		}
	}
}

// What is only shown pushes out nothing that was changed, however often it comes, and pages have
// both, in order, each entry once.
func TestWhatIsShownPushesOutNothing(t *testing.T) {
	t.Parallel()
	rdb, ctx := lab.StartRedis(t).Client(), t.Context()
	first, err := WriteAudit(ctx, rdb, AuditEntry{Who: "ann", Action: "drop"})
	if err != nil {
		t.Fatal(err)
	}
	for range MostAudit + 500 {
		if _, err := WriteAudit(ctx, rdb, AuditEntry{Who: "eve", Action: "show hidden fields", Shown: true}); err != nil {
			t.Fatal(err)
		}
	}
	if n := rdb.XLen(ctx, wire.ShownKey).Val(); n < MostAudit || n > MostAudit+200 {
		t.Errorf("%d entries of what was shown", n)
	}
	last, err := WriteAudit(ctx, rdb, AuditEntry{Who: "bob", Action: "pause"})
	if err != nil {
		t.Fatal(err)
	}
	newest := rdb.XRevRangeN(ctx, wire.AuditKey, "+", "-", 1).Val()[0].ID
	rdb.XAdd(ctx, &redis.XAddArgs{Stream: wire.ShownKey, ID: newest, Values: []string{"who", "eve"}}) // one id in both
	seen := map[string]bool{}
	before, changes := "", []string{}
	for {
		auditPage, err := AuditPage(ctx, rdb, before, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(auditPage) == 0 {
			break
		}
		for _, e := range auditPage {
			if seen[e.ID] || before != "" && compareIDs(e.ID, before) >= 0 || !ValidAuditID(e.ID) {
				t.Fatalf("%s behind %s", e.ID, before)
			}
			if seen[e.ID], before = true, e.ID; !e.Shown {
				changes = append(changes, e.ID)
			}
		}
	}
	if int64(len(seen)) != rdb.XLen(ctx, wire.AuditKey).Val()+rdb.XLen(ctx, wire.ShownKey).Val() || changes[0] != last || changes[1] != first {
		t.Errorf("%d entries, changes %v", len(seen), changes)
	}
}

// Who changes very much pushes out no change of others, at either end of the flood.
func TestChangesPushOutOnesOwnAlone(t *testing.T) {
	t.Parallel()
	rdb, ctx := lab.StartRedis(t).Client(), t.Context()
	write := func(who string) {
		t.Helper()
		if _, err := WriteAudit(ctx, rdb, AuditEntry{Who: who, Action: "cancel"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 300 {
		write("ann")
	}
	for i := range MostAudit + 1000 {
		if write("eve"); i%100 == 0 {
			write("bob")
		}
	}
	of := map[string]int{}
	all := rdb.XRange(ctx, wire.AuditKey, "-", "+").Val()
	for _, m := range all {
		of[m.Values["who"].(string)]++
	}
	if of["ann"] != 300 || of["bob"] != 110 || len(all) > MostAudit+trimSlack || len(all) < MostAudit {
		t.Errorf("%d entries: %v", len(all), of)
	}
	if last := all[len(all)-1].Values["who"]; last != "eve" {
		t.Errorf("the newest entry is of %v", last)
	}
}
