package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/frameworktest/redisserver"
)

// died puts an entry into a dead store, as the engine writes it, and returns its id.
func died(t *testing.T, srv *redisserver.Server, queue, reason, body string) string {
	t.Helper()
	id, err := srv.Client().XAdd(t.Context(), &redis.XAddArgs{
		Stream: "duequeue:dead:{" + queue + "}",
		Values: []any{"body", body, "reason", reason, "detail", "no such\x1b[2J order", "delivered", 5, "failed", 5, "at", 1700000000000},
	}).Result()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestDead(t *testing.T) {
	srv := redisserver.Start(t)
	t.Setenv(redisVariable, srv.URL())
	first := died(t, srv, "Q", "exhausted", "\x03order 10\xb1")
	bad := died(t, srv, "Q", "malformed", "xyz")
	third := died(t, srv, "Q", "rejected", "\x03order 10\xb3")
	died(t, srv, "Q", "rejected", "\x03order 10\xb4")
	for _, c := range []struct {
		args         string
		code         int
		out, errText string // parts of what is printed
	}{
		{"list Q", exitOK, first + "  2023-11-14T22:13:20.000Z  exhausted    10 bytes, 5 delivered, 5 failed  \"no such\\x1b[2J order\"\n", ""},
		{"list -reason malformed Q", exitOK, bad, ""},
		{"list NONE", exitOK, "", ""},
		{"show Q " + first, exitOK, "codec      kryo5 (", ""},
		{"show Q 1-1", exitFailed, "", "the dead store has no such entry: 1-1"},
		{"redrive Q " + bad + " " + first, exitFailed, "1 redriven, 1 left\n", "no known layout"},
		{"redrive -all -reason rejected -limit 1 Q", exitOK, "1 redriven, 1 left\n", ""},
		{"drop Q " + bad + " " + third, exitFailed, "1 dropped, 1 missing\n", ""},
		{"drop -all Q", exitOK, "1 dropped, 0 missing\n", ""},
		{"list Q", exitOK, "", ""},
		{"", exitUsage, "", "say what"},
		{"burn Q", exitUsage, "", `there is no "burn"`},
		{"list", exitUsage, "", "no queue given"},
		{"redrive Q", exitUsage, "", "name entries, or say -all"},
		{"drop -all Q 1-1", exitUsage, "", "name entries, or say -all"},
		{"drop -limit 3 Q 1-1", exitUsage, "", "go with list and -all"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"dead"}, strings.Fields(c.args)...), strings.NewReader(""), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.out) || c.out == "" && out.Len() > 0 || !strings.Contains(errs.String(), c.errText) {
			t.Errorf("dead %s: %d\n%s%s", c.args, code, out.String(), errs.String())
		}
	}
	if ready := srv.Client().LRange(t.Context(), "Q", 0, -1).Val(); len(ready) != 2 || ready[0] != "\x03order 10\xb1" {
		t.Errorf("ready %q", ready)
	}
}

func TestDeadJSON(t *testing.T) {
	srv := redisserver.Start(t)
	t.Setenv(redisVariable, srv.URL())
	entry := died(t, srv, "Q", "undecodable", "\xac\xed\x00\x05p")
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"-json", "dead", "show", "Q", entry}, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatal(errs.String())
	}
	var l deadLine
	if err := json.Unmarshal(out.Bytes(), &l); err != nil || l.Body != "aced000570" || l.Codecs[0].Codec != "serialization" || l.Failed != 5 {
		t.Errorf("%s %v", out.String(), err)
	}
	out.Reset()
	if code := run(t.Context(), []string{"-json", "dead", "drop", "Q", entry}, strings.NewReader(""), &out, &errs); code != exitOK || out.String() != "{\"dropped\":1,\"missing\":0}\n" {
		t.Errorf("%d %s", code, out.String())
	}
}
