package oncall_test

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// then does one after the other.
func then(all ...func(*scene)) func(*scene) {
	return func(s *scene) {
		s.t.Helper()
		for _, f := range all {
			f(s)
		}
	}
}

// printed runs the command that was printed.
func printed(s *scene) {
	s.t.Helper()
	s.said = s.run(s.found.Command)
}

// serveAgain starts a service that handles.
func serveAgain(s *scene) {
	s.t.Helper()
	s.serve("handles")
}

func noProcess(s *scene) { s.due(s.queue, 24*time.Minute, many(40, "order")...) }

func transferThenServe(s *scene) {
	s.t.Helper()
	p := s.begin(s.found.Command)
	s.await(func() string {
		n := s.redis.Client().LLen(s.t.Context(), s.queue).Val()
		if !p.Running() {
			s.t.Fatalf("%s ended", s.found.Command)
		}
		if n < 40 {
			return fmt.Sprintf("%d of 40 messages are moved", n)
		}
		return ""
	})
	s.serve("handles")
	s.stop(p)
}

func killedConsumer(s *scene) {
	s.t.Helper()
	p := s.serve("takes long", func(it *spec) { it.Workers = 8 })
	s.offer(s.queue, many(30, "order")...)
	s.await(func() string {
		if out := s.run("duequeue inflight " + s.queue); !strings.Contains(out, "8 messages in flight") {
			return out
		}
		return ""
	})
	s.kill(p)
}

func dependencyDown(s *scene) {
	s.t.Helper()
	s.needs = s.freeAddress()
	s.serve("calls", func(it *spec) { it.Needs = s.needs })
	s.offer(s.queue, many(12, "payment")...)
}

func dependencyUp(s *scene) {
	s.t.Helper()
	up, err := new(net.ListenConfig).Listen(s.t.Context(), "tcp", s.needs)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = up.Close() })
	go func() {
		for {
			conn, err := up.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
}
