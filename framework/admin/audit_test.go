package admin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestAudited(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, ctx := opened(t, srv), t.Context()
	trail := func(o admin.AuditOptions) []admin.Audit {
		t.Helper()
		found, more, err := admin.AuditTrail(ctx, c, o)
		if err != nil || more != "" {
			t.Fatal(more, err)
		}
		return found
	}
	a := admin.Action{Who: "alice", Role: "operate", Via: "console", Action: "redrive", Queue: "Q", Target: "reason exhausted", Reason: "repaired"}
	err := admin.Audited(ctx, c, a, func(context.Context) (string, error) {
		if got := trail(admin.AuditOptions{}); len(got) != 1 || got[0].Action != a || got[0].Ended {
			t.Errorf("while it is under way: %+v", got)
		}
		return "3 redriven", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	ctx2, cancel := context.WithCancel(ctx)
	b := admin.Action{Who: "bob", Action: "drop", Queue: "P"}
	err = admin.Audited(ctx2, c, b, func(context.Context) (string, error) {
		cancel() // Ctrl-C
		return "1 dropped", broken
	})
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	got := trail(admin.AuditOptions{})
	if len(got) != 2 || got[1].Action != a || !got[1].Ended || got[1].Failed || got[1].Result != "3 redriven" || got[1].End.Before(got[1].At) ||
		got[0].Action != b || !got[0].Failed || got[0].Result != "1 dropped; broken" {
		t.Errorf("%+v", got)
	}
	if time.Since(got[0].At) > time.Minute {
		t.Errorf("at %v", got[0].At)
	}
	for name, o := range map[string]admin.AuditOptions{
		"who": {Who: "bob"}, "action": {Action: "drop"}, "queue": {Queues: func(q string) bool { return q == "P" }},
	} {
		if got := trail(o); len(got) != 1 || got[0].Who != "bob" {
			t.Errorf("by %s: %+v", name, got)
		}
	}
}

// An action whose audit cannot be written does not take place.
func TestAuditRefuses(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c := opened(t, srv)
	a := admin.Action{Who: "alice", Action: "drop", Queue: "Q"}
	refused := func(what string, a admin.Action) {
		t.Helper()
		err := admin.Audited(t.Context(), c, a, func(context.Context) (string, error) {
			t.Errorf("%s: it takes place", what)
			return "", nil
		})
		var audit *fault.AuditError
		if !errors.As(err, &audit) || !audit.Refused {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("no name", admin.Action{Action: "drop", Queue: "Q"})
	refused("no action", admin.Action{Who: "alice", Queue: "Q"})
	srv.Client().Set(t.Context(), wire.AuditKey, "text", 0)
	refused("a key of another type", a)
	srv.Client().Del(t.Context(), wire.AuditKey)
	var audit *fault.AuditError
	err := admin.Audited(t.Context(), c, a, func(ctx context.Context) (string, error) {
		return "dropped", srv.Client().Set(ctx, wire.AuditKey, "text", 0).Err()
	})
	if !errors.As(err, &audit) || audit.Refused {
		t.Errorf("the result cannot be written: %v", err)
	}
}

// Pages show each action once, with its result, however many actions are under way at once.
func TestAuditPages(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	c, ctx := opened(t, srv), t.Context()
	prefixed, err := framework.Open(ctx, framework.Config{Redis: framework.RedisConfig{URL: srv.URL()}, Name: framework.NameConfig{Prefix: "b:"}})
	if err != nil {
		t.Fatal(err)
	}
	defer prefixed.Close() //nolint:errcheck // of a test
	const n = 120
	var nest func(i int) error
	nest = func(i int) error {
		if i == n {
			return nil
		}
		client := c
		if i%3 == 0 {
			client = prefixed
		}
		return admin.Audited(ctx, client, admin.Action{Who: "alice", Action: fmt.Sprint(i), Queue: "Q"}, func(context.Context) (string, error) {
			return "done", nest(i + 1)
		})
	}
	if err := nest(0); err != nil {
		t.Fatal(err)
	}
	read := func(c *framework.Client) (seen []string) {
		o := admin.AuditOptions{Most: 7}
		for {
			found, more, err := admin.AuditTrail(ctx, c, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range found {
				if !a.Ended || a.Result != "done" || strings.Contains(a.Queue, "b:") && c == prefixed {
					t.Errorf("%+v", a)
				}
				seen = append(seen, a.Action.Action)
			}
			if o.Cursor = more; more == "" {
				return seen
			}
		}
	}
	all, some := read(c), read(prefixed)
	if len(all) != n || len(some) != n/3 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != n {
		t.Errorf("%d and %d", len(all), len(some))
	}
	var wrong *fault.CursorError
	for _, cursor := range []string{"x", "e30", "eyJJRCI6IngifQ"} {
		if _, _, err := admin.AuditTrail(ctx, c, admin.AuditOptions{Cursor: cursor}); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

// The user that "duequeue acl -role operate" prints may write and read the audit, and search;
// one that serves may not write it.
func TestOperatorsRights(t *testing.T) {
	t.Parallel()
	srv := lab.StartRedis(t)
	for role, may := range map[admin.Role]bool{admin.RoleServe: false, admin.RoleOperate: true} {
		rules, err := admin.ACLRules(role, "Q")
		if err != nil {
			t.Fatal(err)
		}
		args := []any{"ACL", "SETUSER", role.String(), "on", ">secret"}
		for _, r := range rules {
			args = append(args, r)
		}
		if err := srv.Client().Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
		c := transferClient(t, srv, role.String())
		err = admin.Audited(t.Context(), c, admin.Action{Who: "alice", Action: "drop", Queue: "Q"}, func(context.Context) (string, error) { return "", nil })
		if (err == nil) != may {
			t.Errorf("%v: %v", role, err)
		}
		if !may {
			continue
		}
		if _, _, err := admin.AuditTrail(t.Context(), c, admin.AuditOptions{}); err != nil {
			t.Error(err)
		}
		k := wire.KeysOf("Q")
		queuetest.Put(t, srv.Client(), k, time.Now().Add(time.Hour).UnixMilli(), wire.Pack(wire.NewIDs().Next(), []byte("4711")))
		srv.Client().RPush(t.Context(), k.Queue, "4711")
		p := admin.Payloads{Decode: func(b []byte) (any, error) { return map[string]any{"n": string(b)}, nil }, SearchFields: []string{"n"}}
		found, last := searched(t, c, "Q", "4711", admin.SearchOptions{Payloads: p, Share: 1})
		if len(found) != 2 || !last.Looked[3].Done {
			t.Errorf("%+v %+v", found, last)
		}
	}
}
