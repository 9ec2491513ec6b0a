package lab

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Connect returns a client as the framework configures them, until the test ends.
func Connect(tb testing.TB, addr string) *redis.Client {
	tb.Helper()
	rdb := redis.NewClient(&redis.Options{
		Addr: addr, MaxRetries: -1, ContextTimeoutEnabled: true, DisableIdentity: true,
		ReadTimeout:              time.Minute, // the fake takes seconds for large scripts on a busy machine
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	tb.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

var userNumber atomic.Int64

// AsUser returns a client that logs in as a user with the given ACL rules.
func AsUser(tb testing.TB, srv *Server, rules ...string) *redis.Client {
	tb.Helper()
	name := fmt.Sprintf("user%d", userNumber.Add(1))
	args := []any{"ACL", "SETUSER", name, "on", ">secret", "+@all", "~*", "&*"}
	for _, r := range rules {
		args = append(args, r)
	}
	if err := srv.Client().Do(tb.Context(), args...).Err(); err != nil {
		tb.Fatal(err)
	}
	return srv.NewClient(func(o *redis.Options) { o.Username, o.Password = name, "secret" })
}

// Monitor collects what Redis executes until lines is called.
func Monitor(tb testing.TB, srv *Server) (lines func() []string) {
	tb.Helper()
	c, err := net.Dial("tcp", srv.Addr())
	if err != nil {
		tb.Fatal(err)
	}
	if _, err = fmt.Fprint(c, "MONITOR\r\n"); err != nil {
		tb.Fatal(err)
	}
	r := bufio.NewReader(c)
	if ok, err := r.ReadString('\n'); ok != "+OK\r\n" {
		tb.Fatalf("MONITOR: %q, %v", ok, err)
	}
	const end = "end of transcript"
	var seen []string
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			line, err := r.ReadString('\n')
			if err != nil || strings.Contains(line, end) {
				return
			}
			seen = append(seen, strings.TrimSpace(line))
		}
	})
	tb.Cleanup(func() {
		_ = c.Close()
		reader.Wait()
	})
	return func() []string {
		if err := srv.Client().Echo(tb.Context(), end).Err(); err != nil {
			tb.Fatal(err)
		}
		reader.Wait()
		return seen
	}
}
