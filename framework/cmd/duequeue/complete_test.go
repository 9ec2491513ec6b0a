package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Of very many queues few are suggested, those that begin as the word does.
func TestCompletionIsBounded(t *testing.T) {
	srv := lab.StartRedis(t)
	t.Setenv(env.RedisVariable, srv.URL())
	pipe := srv.Client().Pipeline()
	for i := range 5000 {
		pipe.ZAdd(t.Context(), fmt.Sprintf("redisson_delay_queue_timeout:{Q%04d}", i), redis.Z{Score: 4102444800000, Member: "x"})
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	for begun, want := range map[string]int{"": 200, "bash:Q499": 10, "bash:Q4999": 1, "bash:X": 0} {
		t.Setenv("DUEQUEUE_COMPLETE", begun)
		var out, errs string
		lab.WaitFor(t, "no names", func() bool { // a busy machine is too slow
			_, out, errs = called(t, "counts", "--generate-shell-completion")
			return out != "" || want == 0
		})
		if strings.Count(out, "\n") != want || errs != "" || want == 1 && out != "Q4999\n" {
			t.Errorf("%q: %q%s, want %d", begun, out, errs, want)
		}
	}
}

// A server that takes connections and says nothing holds no one up: the shell gets no names.
func TestCompletionEndsWithoutAnAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	if code, out, errs := called(t, "-redis", l.Addr().String(), "counts", "--generate-shell-completion"); code != exitOK || out+errs != "" {
		t.Errorf("%d %s%s", code, out, errs)
	}
}
