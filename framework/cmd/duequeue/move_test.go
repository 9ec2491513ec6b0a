package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What was offered to a misspelt name is found, named and moved.
func TestMove(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	rdb, from, to := srv.Client(), wire.KeysOf("ORDER_TIMEUOT"), wire.KeysOf("ORDER_TIMEOUT")
	due := time.Now().Add(time.Hour).UnixMilli()
	for i := range 120 {
		queuetest.Put(t, rdb, from, due+int64(i), queuetest.JavaNew([]byte(fmt.Sprintf("%08d", i)), []byte("x")))
	}
	rdb.RPush(t.Context(), from.Queue, "ready")
	queuetest.Put(t, rdb, to, due, queuetest.JavaNew([]byte("another!"), []byte("x")))
	step := func(code int, out, errs string, args ...string) {
		t.Helper()
		gotCode, gotOut, gotErrs := called(t, args...)
		if gotCode != code || !strings.Contains(gotOut, out) || !strings.Contains(gotErrs, errs) {
			t.Errorf("%q: %d\n%s%s", args, gotCode, gotOut, gotErrs)
		}
	}
	step(exitUsage, "", "name two queues", "move", "ORDER_TIMEUOT")
	step(exitUsage, "", "-share must be", "move", "-share", "2", "ORDER_TIMEUOT", "ORDER_TIMEOUT")
	step(exitFailed, "", "no such queue: NOWHERE", "move", "ORDER_TIMEUOT", "NOWHERE")
	step(exitFailed, "", "both are the same queue", "move", "ORDER_TIMEUOT", "ORDER_TIMEUOT", "-yes")
	step(exitOK, "121 messages of ORDER_TIMEUOT would be moved to ORDER_TIMEOUT, 1 of them ready; add -yes", "", "move", "ORDER_TIMEUOT", "ORDER_TIMEOUT")
	if n := queuetest.Counts(t, rdb, from); n[0]+n[1] != 121 {
		t.Errorf("the dry run left %v", n)
	}
	step(exitOK, `{"from":"ORDER_TIMEUOT","to":"ORDER_TIMEOUT","ready":1,"delayed":120,"moved":121,"inFlight":0,"dead":0}`, "", "move", "ORDER_TIMEUOT", "ORDER_TIMEOUT", "-yes", "-json", "-reason", "misspelt")
	if n := queuetest.Counts(t, rdb, to); n[0] != 1 || n[1] != 121 {
		t.Errorf("moved to %v", n)
	}
	step(exitOK, "misspelt", "", "audit")
	step(exitFailed, "", "no such queue", "move", "ORDER_TIMEUOT", "ORDER_TIMEOUT")
}

// A move that was killed shows, and the command that is printed goes on with it.
func TestMoveThatWasKilled(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	rdb, from, to := srv.Client(), wire.KeysOf("ORDRES"), wire.KeysOf("ORDERS")
	queuetest.Put(t, rdb, to, time.Now().Add(time.Hour).UnixMilli(), queuetest.JavaNew([]byte("another!"), []byte("x")))
	rdb.RPush(t.Context(), from.Moving, "1f 1 ORDERS", "", "body", "", "", "", "")
	rdb.HSet(t.Context(), from.Control, "moving", fmt.Sprintf("%d 1 ORDERS", time.Now().Add(-time.Minute).UnixMilli()))
	if _, out, _ := called(t, "queues"); !strings.Contains(out, "stranded") {
		t.Errorf("queues:\n%s", out)
	}
	code, out, _ := called(t, "doctor", "ORDRES")
	if code != exitFailed || !strings.Contains(out, "1 message has been set aside for 1 min, on the way to ORDERS: the program that moved them was killed") || !strings.Contains(out, "duequeue move -yes ORDRES ORDERS") {
		t.Errorf("doctor: %d\n%s", code, out)
	}
	if code, out, errs := called(t, "move", "-yes", "ORDRES", "ORDERS"); code != exitOK || !strings.Contains(out, "1 message moved from ORDRES to ORDERS") || !strings.Contains(errs, "1 message of ORDRES had been put aside by an earlier run") {
		t.Errorf("move: %d\n%s%s", code, out, errs)
	}
	if got := queuetest.Ready(t, rdb, to); len(got) != 1 || got[0] != "body" {
		t.Errorf("ready: %q", got)
	}
}
