package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// The two layouts of Redisson around "hello", and one of none.
const (
	oldElement = "\x81\xe9\x7d\xf4\x10\x22\xb1\xc3\x05\x00\x00\x00\x00\x00\x00\x00hello"
	newElement = "\x08\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\x05\x00\x00\x00\x00\x00\x00\x00hello"
	noElement  = "hello"
)

// offered puts an element where Redisson does.
func offered(t *testing.T, srv *lab.Server, queue, element string) {
	t.Helper()
	rdb := srv.Client()
	z := redis.Z{Score: 4102444800000, Member: element}
	if err := rdb.ZAdd(t.Context(), "redisson_delay_queue_timeout:{"+queue+"}", z).Err(); err != nil {
		t.Fatal(err)
	}
	if err := rdb.RPush(t.Context(), "redisson_delay_queue:{"+queue+"}", element).Err(); err != nil {
		t.Fatal(err)
	}
}

// runMigrate runs the program and returns its exit code and output.
func runMigrate(ctx context.Context, t *testing.T, srv *lab.Server, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv(env.RedisVariable, srv.URL())
	var out, errs bytes.Buffer
	code = run(ctx, append([]string{"migrate", "-layout"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestMigrate(t *testing.T) {
	srv := lab.StartRedis(t)
	offered(t, srv, "ORDERS", oldElement)
	offered(t, srv, "ORDERS", newElement)
	offered(t, srv, "BAD", newElement)
	offered(t, srv, "BAD", noElement)
	if err := srv.Client().Set(t.Context(), "redisson_delay_queue:{WRONG}", "text", 0).Err(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		code   int
		out    string
		stderr string
	}{
		{"ORDERS -dry-run", exitFailed, "ORDERS: 2 of 2 would be rewritten (1 of Redisson up to 3.21.0, 1 since 3.21.1)\n", ""},
		{"-dry-run ORDERS", exitFailed, "ORDERS: 2 of 2 would be rewritten (1 of Redisson up to 3.21.0, 1 since 3.21.1)\n", ""},
		{"ORDERS NONE", exitFailed, "", "no such queue: NONE"}, // and nothing is rewritten
		{"ORDERS", exitOK, "ORDERS: 2 of 2 rewritten (1 of Redisson up to 3.21.0, 1 since 3.21.1)\n", ""},
		{"-dry-run ORDERS", exitOK, "ORDERS: 0 of 2 would be rewritten (0 of Redisson up to 3.21.0, 0 since 3.21.1)\n", ""},
		{"-- -dry-run", exitFailed, "", "no such queue: -dry-run"}, // a name
		{
			"WRONG BAD", exitFailed, "BAD: 1 of 2 rewritten (0 of Redisson up to 3.21.0, 1 since 3.21.1), 1 malformed left alone\n" +
				"  malformed, due 2100-01-01T00:00:00Z, 5 bytes, 68656c6c6f: an element of 5 bytes with first byte 104 fits neither layout\n",
			`key "redisson_delay_queue:{WRONG}" holds a string, not a list`,
		},
	} {
		code, out, stderr := runMigrate(t.Context(), t, srv, strings.Fields(c.args)...)
		if code != c.code || out != c.out || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: %d\n%s%s", c.args, code, out, stderr)
		}
	}
	_, out, _ := runMigrate(t.Context(), t, srv, "-json", "BAD")
	var line migrated
	if err := json.Unmarshal([]byte(out), &line); err != nil || line.Queue != "BAD" || line.Universal != 1 || line.Left != 1 || line.Examples[0].Head != "68656c6c6f" {
		t.Errorf("%s: %v", out, err)
	}
}

// migrated is of a line of JSON what is looked at here.
type migrated struct {
	Queue                      string
	Rewritten, Universal, Left int64
	Examples                   []struct{ Head string }
}

// -follow goes on until it is ended, and says then what it did.
func TestMigrateFollow(t *testing.T) {
	srv := lab.StartRedis(t)
	offered(t, srv, "ORDERS", oldElement)
	t.Setenv(env.RedisVariable, srv.URL())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"migrate", "-layout", "-follow", "-json", "ORDERS"}, strings.NewReader(""), w, io.Discard)
		_ = w.Close()
	}()
	lines := json.NewDecoder(r)
	var line migrated
	if err := lines.Decode(&line); err != nil || line.Rewritten != 1 || line.Left != 0 {
		t.Fatalf("%+v %v", line, err)
	}
	offered(t, srv, "ORDERS", newElement)
	lab.WaitFor(t, "what was offered stays as it is", func() bool {
		return srv.Client().ZScore(t.Context(), "redisson_delay_queue_timeout:{ORDERS}", newElement).Err() != nil
	})
	cancel()
	if err := lines.Decode(&line); err != nil || line.Rewritten != 2 {
		t.Errorf("%+v %v", line, err)
	}
	if c := <-code; c != exitOK {
		t.Errorf("exit code %d", c)
	}
}
