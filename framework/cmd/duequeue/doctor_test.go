package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/look"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

func TestDoctor(t *testing.T) {
	srv := lab.StartRedis(t, lab.Args("--appendonly", "yes", "--maxmemory-policy", "noeviction"))
	t.Setenv(env.RedisVariable, srv.URL())
	offered(t, srv, "MIXED", oldElement)
	offered(t, srv, "MIXED", newElement)
	offered(t, srv, "GHOSTS", newElement)
	if err := srv.Client().RPush(t.Context(), "redisson_delay_queue:{GHOSTS}", "ghost").Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args    string
		code    int
		out     string
		errText string
	}{
		{"", exitFailed, "ERROR   MIXED: layouts: 1 pending element is of", ""}, // all queues
		{"", exitFailed, "0 of 2 queues fine\n", ""},
		{"MIXED", exitFailed, "ERROR   MIXED: layouts: 1 pending element is of Redisson up to 3.21.0 and 1 of 3.21.1 or later", ""},
		{"MIXED", exitFailed, "          duequeue migrate -layout MIXED\n", ""}, // to be copied as it stands
		{"GHOSTS", exitFailed, "WARNING GHOSTS: ghosts: 1 entry of Java's view", ""},
		{"-fix GHOSTS", exitFailed, "fixed: 1\n", ""}, // no process serves the queue
		{"GHOSTS", exitFailed, "WARNING GHOSTS: unserved: ", ""},
		{"GHOST", exitUsage, "", "no such queue: GHOST; did you mean GHOSTS?"},
		{"MIXDE MIXED", exitFailed, "ERROR   MIXED: layouts: ", ""}, // one that is missing does not stop the others
		{"MIXDE", exitUsage, "", "no such queue: MIXDE; did you mean MIXED?"},
		{"-view off -java-cancels MIXED", exitFailed, "ERROR   MIXED: view: ", ""},
		{"-fix", exitUsage, "", "name them"},
		{"-view upside-down", exitUsage, "", "exact or off"},
		{"-codec string MIXED", exitFailed, "ERROR   MIXED: layouts: ", ""},
		{"-codec long MIXED", exitFailed, "WARNING MIXED: codec: queue \"MIXED\": ", ""},
		{"-codec nonsense MIXED", exitUsage, "", "nonsense"},
		{"-walk 0", exitUsage, "", "must be positive"},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"doctor"}, strings.Fields(c.args)...), strings.NewReader(""), &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errText) {
			t.Errorf("doctor %s: %d\n%s%s", c.args, code, out.String(), errs.String())
		}
	}
	var out, errs bytes.Buffer
	run(t.Context(), []string{"-json", "doctor", "MIXED"}, strings.NewReader(""), &out, &errs)
	var line look.Finding
	if err := json.NewDecoder(&out).Decode(&line); err != nil || line.Queue != "MIXED" || line.Advice == "" || line.State == "" {
		t.Errorf("%+v %v", line, err)
	}
	errs.Reset()
	if code := run(t.Context(), []string{"-redis", "127.0.0.1:1", "doctor", "MIXED"}, strings.NewReader(""), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "127.0.0.1:1") {
		t.Errorf("without a server: %d\n%s", code, errs.String())
	}
}

// Where Redis refuses writes no line says that all is fine.
func TestDoctorOfAFullRedis(t *testing.T) {
	srv := lab.StartRedis(t, lab.Args("--appendonly", "yes", "--maxmemory-policy", "noeviction"))
	t.Setenv(env.RedisVariable, srv.URL())
	heard := srv.Client().Subscribe(t.Context(), "redisson_delay_queue_channel:{SERVED}")
	t.Cleanup(func() { _ = heard.Close() })
	if _, err := heard.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := srv.Client().ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"":       "nothing is wrong with 1 of 1 queue but Redis itself, see above\n",
		"SERVED": "SERVED: nothing is wrong but Redis itself: no message waits, and 1 program listens\n",
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"doctor"}, strings.Fields(args)...), strings.NewReader(""), &out, &errs)
		if code != exitFailed || !strings.Contains(out.String(), "ERROR   redis: memory: Redis is full") || !strings.HasSuffix(out.String(), want) || strings.Contains(out.String(), "fine") {
			t.Errorf("doctor %s: %d\n%s%s", args, code, out.String(), errs.String())
		}
	}
}
