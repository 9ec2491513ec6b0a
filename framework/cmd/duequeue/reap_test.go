package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// leftBehind puts what a process leaves that was killed while it held messages.
func leftBehind(t *testing.T, srv *lab.Server, queue string, until time.Time) {
	t.Helper()
	const nonce = "fedcba9876543210"
	k, rdb := wire.KeysOf(queue), srv.Client()
	leaseEnds(t, srv, queue, until)
	rdb.SAdd(t.Context(), k.Fetches(leftSession), nonce)
	if err := rdb.RPush(t.Context(), k.Stage(leftSession), "a", "b").Err(); err != nil {
		t.Fatal(err)
	}
}

const leftSession = "0123456789abcdef"

// leaseEnds sets when the lease of the process of leftBehind ends.
func leaseEnds(t *testing.T, srv *lab.Server, queue string, at time.Time) {
	t.Helper()
	if err := srv.Client().ZAdd(t.Context(), wire.KeysOf(queue).Sessions, redis.Z{Score: float64(at.UnixMilli()), Member: leftSession}).Err(); err != nil {
		t.Fatal(err)
	}
}

func TestReap(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	now := time.Now()
	leftBehind(t, srv, "ENDED", now.Add(-time.Second))
	leftBehind(t, srv, "ALSO", now.Add(-time.Second))
	leftBehind(t, srv, "SOON", now.Add(time.Hour))
	if err := srv.Client().Set(t.Context(), "duequeue:sessions:{WRONG}", "x", 0).Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args      string
		code      int
		out, errs string
	}{
		{"", exitUsage, "", "name queues, or all of the database with -all"},
		{"-all ENDED", exitUsage, "", "exclude each other"},
		{"ENDED", exitOK, "ENDED: 2 messages of 1 consumer that ended: back on the ready list\n", ""},
		{"NOWHERE", exitFailed, "", "no such queue: NOWHERE: no key of this queue is in database 0"},
		{"ENDED", exitOK, "ENDED: nothing to give back\n", ""},
		{"SOON", exitFailed, "SOON: 2 messages in flight at 1 consumer, with a lease for up to ", ""},
		{"-all", exitFailed, "ALSO: 2 messages of 1 consumer that ended", "WRONG: "},
		{"-wait SOON", exitOK, "SOON: 2 messages of 1 consumer that ended", ""},
	} {
		if c.args == "-wait SOON" {
			leaseEnds(t, srv, "SOON", time.Now().Add(100*time.Millisecond))
		}
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"reap"}, strings.Fields(c.args)...), strings.NewReader(""), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("reap %s: %d\n%s%s", c.args, code, out.String(), errs.String())
		}
	}
	var out, errs bytes.Buffer
	run(t.Context(), []string{"-json", "reap", "WRONG"}, strings.NewReader(""), &out, &errs)
	var line struct{ Queue, Error string }
	if err := json.NewDecoder(&out).Decode(&line); err != nil || line.Queue != "WRONG" || line.Error == "" {
		t.Errorf("%+v %v", line, err)
	}
}
