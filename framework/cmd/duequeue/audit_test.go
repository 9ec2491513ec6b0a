package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What commands change is in the audit, who did it and what came of it; and is refused where
// that cannot be written.
func TestCommandsAreAudited(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	t.Setenv("USER", "alice")
	rdb, ctx := srv.Client(), t.Context()
	k := wire.KeysOf("Q")
	bury := func() {
		for i := range 4 {
			rdb.XAdd(ctx, &redis.XAddArgs{Stream: k.Dead, ID: fmt.Sprintf("17000000000%02d-0", i), Values: []string{"body", "x", "reason", "rejected", "digest", "d", "at", "1700000000000"}})
		}
	}
	bury()
	commands := []struct{ args, want string }{
		{"pause -reason upgrade -for 90m Q", `alice@ pause Q "for 1 h 30 min" "upgrade" ""`},
		{"resume -by bob Q", `bob resume Q "" "" ""`},
		{"limit -rate 5 -workers 2 -wait 0 Q", `alice@ limit Q "rate 5, workers 2" "" ""`},
		{"limit -off -reason over -wait 0 Q", `alice@ limit Q "off" "over" ""`},
		{"dead redrive Q 1700000000000-0", `alice@ redrive Q "1700000000000-0" "" "1 redriven, 0 left"`},
		{"dead drop -all -yes -reason rejected -limit 1 Q", `alice@ drop Q "reason rejected, limit 1" "" "1 dropped, 2 more match (-limit)"`},
		{"dead export -drop Q", `alice@ drop Q "all" "" "2 exported, 2 dropped"`},
		{"migrate -layout Q", `alice@ migrate Q "layout" "" "0 rewritten"`},
		{"reap Q", `alice@ reap Q "" "" "0 given back, 0 dead"`},
		{"doctor -fix Q", `alice@ fix Q "" "" "0 repaired"`},
	}
	for _, c := range commands {
		if code, _, errs := called(t, strings.Fields(c.args)...); code != 0 && (errs != "" || !strings.HasPrefix(c.args, "doctor")) { // it finds that the server keeps nothing on disk
			t.Fatalf("%s: %d %s", c.args, code, errs)
		}
		found, err := control.AuditPage(ctx, rdb, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		e := found[0]
		who, _, _ := strings.Cut(e.Who, "@")
		if strings.Contains(e.Who, "@") {
			who += "@"
		}
		if got := fmt.Sprintf("%s %s %s %q %q %q", who, e.Action, e.Queue, e.Target, e.Reason, e.Result); got != c.want || e.Of == "" || e.Via != "command line" {
			t.Errorf("%s: %s, want %s; %+v", c.args, got, c.want, e)
		}
	}
	written := rdb.XLen(ctx, wire.AuditKey).Val()
	bury()
	for _, args := range []string{"dead drop -all -dry-run Q", "dead list Q", "dead export Q", "migrate -layout -dry-run Q", "dead redrive -all -dry-run Q"} {
		if code, _, errs := called(t, strings.Fields(args)...); code != 0 || rdb.XLen(ctx, wire.AuditKey).Val() != written {
			t.Errorf("%s: %d %s", args, code, errs)
		}
	}
	rdb.Del(ctx, wire.AuditKey)
	rdb.Set(ctx, wire.AuditKey, "text", 0)
	before := rdb.XLen(ctx, k.Dead).Val()
	for _, c := range commands {
		if code, _, errs := called(t, strings.Fields(c.args)...); code == 0 || !strings.Contains(errs, "the audit cannot be written") {
			t.Errorf("%s: %d %s", c.args, code, errs)
		}
	}
	if n := rdb.XLen(ctx, k.Dead).Val(); n != before || rdb.Exists(ctx, k.Control).Val() != 0 && rdb.HExists(ctx, k.Control, "reason").Val() {
		t.Errorf("%d dead, %d before", n, before)
	}
}

// What doctor -fix has repaired of each queue is in the entry of that queue.
func TestEachQueueIsAuditedWithItsOwnRepairs(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	for queue, ghosts := range map[string][]any{"ONE": {"a"}, "THREE": {"a", "b", "c"}, "NONE": nil} {
		offered(t, srv, queue, newElement)
		if len(ghosts) > 0 {
			if err := srv.Client().RPush(t.Context(), wire.KeysOf(queue).Pending, ghosts...).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, out, errs := called(t, "doctor", "-fix", "ONE", "NONE", "THREE"); errs != "" || strings.Count(out, "fixed: ") != 2 {
		t.Fatalf("%s%s", out, errs)
	}
	found, err := control.AuditPage(t.Context(), srv.Client(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range found {
		if e.Of != "" {
			got[e.Queue] += e.Result
		}
	}
	if fmt.Sprint(got) != "map[NONE:0 repaired ONE:1 repaired THREE:3 repaired]" {
		t.Errorf("%v", got)
	}
}
