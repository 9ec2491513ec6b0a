package oncall_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/integration/jvm"
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
	p := s.serve("takes long", func(it *spec) { it.Workers, it.Lease = 8, 20*time.Second })
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

// says has the printed command name the cause.
func says(words ...string) func(*scene) {
	return func(s *scene) {
		s.t.Helper()
		for _, word := range words {
			if !strings.Contains(s.said, word) {
				s.t.Errorf("%s does not say %q:\n%s", s.found.Command, word, s.said)
			}
		}
	}
}

func poison(s *scene) {
	s.t.Helper()
	s.broken = s.serve("rejects")
	s.offer(s.queue, append(many(5, "order"), many(3, "refund")...)...)
}

// rollBack runs the version of before, which handles what is put back: with these flags.
func rollBack(flags string) func(*scene) {
	return func(s *scene) {
		s.t.Helper()
		s.stop(s.broken)
		s.serve("handles")
		s.run("duequeue dead redrive -all " + flags + s.queue)
	}
}

const redisson = "4.7.0"

// otherCodec has a Java service write with another codec than the declared one.
func otherCodec(s *scene) {
	s.t.Helper()
	s.broken = s.serve("handles", func(it *spec) { it.Codec = "kryo5" })
	q := jvm.Start(s.t, redisson).Open(s.t, s.redis.URL()).Queue(s.t, "jsonjackson", s.queue)
	for _, body := range many(12, "order") {
		q.Offer(s.t, jvm.Text(strconv.Quote(body)), 0)
	}
}

func declareBoth(s *scene) {
	s.t.Helper()
	s.stop(s.broken)
	s.serve("handles", func(it *spec) { it.Codec = "anyof(kryo5,jsonjackson)" })
}

func paused(s *scene) {
	s.t.Helper()
	s.serve("handles")
	s.run("duequeue pause -reason 'the warehouse moves' " + s.queue)
	s.offer(s.queue, "order 4711")
}

func lowRate(s *scene) {
	s.t.Helper()
	s.serve("handles", func(it *spec) { it.Rate = 0.05 })
	s.due(s.queue, 18*time.Minute, many(10, "order")...)
}

func hang(s *scene) {
	s.t.Helper()
	s.broken = s.serve("hangs")
	s.offer(s.queue, many(4, "order")...)
}

func restart(s *scene) {
	s.t.Helper()
	s.stop(s.broken)
	s.serve("handles")
}

func slow(s *scene) {
	s.t.Helper()
	s.serve("takes long")
	s.due(s.queue, 18*time.Minute, many(3800, "order")...)
}

func giant(s *scene) {
	s.t.Helper()
	s.serve("handles")
	s.offer(s.queue, strings.Repeat("x", 8_000_061))
}

// lookAtGiant opens pages that show the payload: the console goes on to read.
func lookAtGiant(s *scene) {
	s.t.Helper()
	s.page("/dead?q=" + s.queue)
	s.page("/pending?q=" + s.queue)
	if page := s.page(s.queuePage()); !strings.Contains(page, "dead store") {
		s.t.Errorf("the console shows no page: %s", page)
	}
}

func drop(s *scene) {
	s.t.Helper()
	s.run("duequeue dead drop -all -yes " + s.queue)
}
