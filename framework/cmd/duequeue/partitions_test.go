package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func TestPartitions(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	ctx, rdb := t.Context(), srv.Client()
	show := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(ctx, append([]string{"partitions"}, args...), strings.NewReader(""), &out, &errs); code != exitOK {
			t.Fatalf("%v: %d %s", args, code, errs.String())
		}
		return out.String()
	}
	rdb.RPush(ctx, "redisson_delay_queue:{PLAIN}", "x")
	if got := show("PLAIN"); !strings.Contains(got, "PLAIN: 1 partition\n") || !strings.Contains(got, "used") {
		t.Errorf("%s", got)
	}
	rdb.HSet(ctx, wire.KeysOf("SHRINKS").Control, "partitions", "2 4")
	rdb.RPush(ctx, wire.PartitionName("SHRINKS", 3), "x")
	got := show("SHRINKS")
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if len(lines) != 6 || !strings.HasSuffix(lines[3], "used") || !strings.HasSuffix(lines[4], "may go") || !strings.HasSuffix(lines[5], "drains") {
		t.Errorf("%s", got)
	}
	var line struct {
		Number      int `json:"partition"`
		Name, State string
		Ready       int64
	}
	jsons := strings.Split(strings.TrimSpace(show("-json", "SHRINKS")), "\n")
	if err := json.Unmarshal([]byte(jsons[3]), &line); err != nil || line.Number != 3 || line.Name != wire.PartitionName("SHRINKS", 3) || line.Ready != 1 || line.State != "drains" {
		t.Errorf("%+v %v", line, err)
	}
}
