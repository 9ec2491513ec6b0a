package lease

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// A server that repeats a command's arguments in its answer shows no password by a lane.
func TestLaneShowsNoPassword(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = l.Close() }()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				buf := make([]byte, 1<<12)
				for {
					if _, err := conn.Read(buf); err != nil {
						return
					}
					_, _ = conn.Write([]byte("-ERR unknown command 'auth', with args beginning with: 'u' 'secret' \r\n"))
				}
			}()
		}
	}()
	node := redis.NewClient(&redis.Options{Addr: l.Addr().String(), Username: "u", Password: "secret"})
	defer func() { _ = node.Close() }()
	ln := openLane(node, time.Second)
	defer func() { _ = ln.take.Close() }()
	for name, c := range map[string]redisapi.Client{"take": ln.take, "wait": ln.wait} {
		err := c.Ping(t.Context()).Err()
		if err == nil || !strings.Contains(err.Error(), "unknown command") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		_, err = c.Pipelined(t.Context(), func(p redis.Pipeliner) error { p.Ping(t.Context()); return nil })
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s, pipeline: %v", name, err)
		}
	}
}
