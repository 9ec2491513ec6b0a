package main

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// javaClasses are classes that javac wrote.
const javaClasses = "../../../codecs/java/classfile/testdata/classes"

// What "duequeue acl -role operate" prints suffices for every command on the queues named.
func TestOperatorsUserSuffices(t *testing.T) {
	srv := lab.StartRedis(t)
	const password = "pw"
	if got := inline(t, srv.Addr(), acl(t, password, "-role", "operate", "-user", "op", "-password-stdin", "ORDERS")); got != "+OK" {
		t.Fatal(got)
	}
	seedOrders(t, srv.Client())
	t.Setenv(env.RedisVariable, (&url.URL{Scheme: "redis", User: url.UserPassword("op", password), Host: srv.Addr()}).String())
	for _, c := range []struct {
		args string
		code int
		out  string
	}{
		{"queues", exitOK, "ORDERS "},
		{"inspect", exitOK, "kryo5 reads"},
		{"inspect ORDERS", exitOK, "kryo5 reads"},
		{"counts ORDERS", exitOK, "ORDERS "},
		{"pending ORDERS", exitOK, "4711"},
		{"ready ORDERS", exitOK, "0 "},
		{"inflight ORDERS", exitOK, "no message"},
		{"find ORDERS nothing", exitFailed, "looked as a key, in 1 pending, 1 ready, 0 in flight, 1 dead"},
		{"show -key ORDERS nothing", exitFailed, "nor found anywhere else"},
		{"compat -old " + javaClasses + " -new " + javaClasses + " -queue ORDERS", exitOK, "no message of these classes"},
		{"partitions ORDERS", exitOK, "1 partition"},
		{"ps ORDERS", exitOK, "no Go process serves it"},
		{"doctor -codec string ORDERS", exitFailed, "dead"},
		{"cancel -yes -key ORDERS nothing", exitFailed, "is not pending"},
		{"reschedule -key ORDERS nothing -in 1h", exitFailed, "is not pending"},
		{"pause -reason x -wait 0 ORDERS", exitOK, "paused"},
		{"limit -rate 5 -wait 0 ORDERS", exitOK, "5 messages a second"},
		{"resume -wait 0 ORDERS", exitOK, "not paused"},
		{"dead list ORDERS", exitOK, "rejected"},
		{"dead groups ORDERS", exitOK, "rejected"},
		{"dead show ORDERS 1700000000000-0", exitOK, "rejected"},
		{"dead export ORDERS", exitOK, "payload"},
		{"dead redrive ORDERS 1700000000000-0", exitOK, "1 redriven"},
		{"dead drop ORDERS -all -yes", exitOK, "0 dropped"},
		{"migrate -layout ORDERS", exitOK, "ORDERS: "},
		{"reap ORDERS", exitOK, "nothing to give back"},
		{"audit ORDERS", exitOK, "redrive"},
		{"leave ORDERS", exitOK, "Redisson's keys alone remain"},
	} {
		code, out, errs := called(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out+errs, c.out) || strings.Contains(out+errs, "NOPERM") {
			t.Errorf("%s: %d\n%s%s", c.args, code, out, errs)
		}
	}
}

// seedOrders puts a pending message, a ready one and a dead letter, 1700000000000-0, into ORDERS.
func seedOrders(t *testing.T, rdb *redis.Client) {
	t.Helper()
	k := wire.KeysOf("ORDERS")
	element := string(wire.Pack(wire.NewIDs().Next(), []byte("\x03471\xb1")))
	rdb.ZAdd(t.Context(), k.Timeout, redis.Z{Score: float64(time.Now().Add(time.Hour).UnixMilli()), Member: element})
	rdb.RPush(t.Context(), k.Pending, element)
	rdb.RPush(t.Context(), k.Queue, "\x03ready")
	rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: k.Dead, ID: "1700000000000-0", Values: []any{"body", "\x03dead", "reason", "rejected", "detail", "x", "at", 1700000000000}})
}
