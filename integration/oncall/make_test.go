package oncall_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/internal/lab"
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

// rollBack runs the version of before, which handles what is put back.
func rollBack(s *scene) {
	s.t.Helper()
	s.stop(s.broken)
	s.serve("handles")
	s.run("duequeue dead redrive -all " + s.queue)
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

func full(s *scene) {
	s.t.Helper()
	s.serve("handles", func(it *spec) { it.Offers = true })
	s.set("maxmemory", "1")
}

func moreMemory(s *scene) {
	s.t.Helper()
	s.set("maxmemory", "0")
}

func (s *scene) set(setting, value string) {
	s.t.Helper()
	if err := s.redis.Client().ConfigSet(s.t.Context(), setting, value).Err(); err != nil {
		s.t.Fatal(err)
	}
}

func evicts(s *scene) {
	s.t.Helper()
	s.serve("handles")
	s.set("maxmemory-policy", "allkeys-lru")
	s.set("maxmemory", "6mb")
	rdb, body := s.redis.Client(), strings.Repeat("order", 200)
	s.await(func() string {
		for range 500 {
			_ = rdb.RPush(s.t.Context(), "redisson_delay_queue:{OTHERS}", body).Err() // some are refused, too
		}
		if strings.Contains(rdb.Info(s.t.Context(), "stats").Val(), "evicted_keys:0\r\n") {
			return fmt.Sprintf("nothing is evicted of %d messages", rdb.LLen(s.t.Context(), "redisson_delay_queue:{OTHERS}").Val())
		}
		return ""
	})
}

func noEviction(s *scene) {
	s.t.Helper()
	s.set("maxmemory-policy", "noeviction")
	s.set("maxmemory", "0")
	s.redis.Restart()
}

// narrowed has a service of two queues lose the permission of one.
func narrowed(s *scene) {
	s.t.Helper()
	const other = "STAYS_13"
	s.grant("reset", s.queue, other)
	address := strings.Replace(s.redis.URL(), "redis://", "redis://svc:secret@", 1)
	s.env = append(s.env, "DUEQUEUE_REDIS_URL="+address)
	s.serve("handles", func(it *spec) { it.Queues = append(it.Queues, other) })
	s.env = s.env[:len(s.env)-1]
	s.grant("reset", other)
	s.mend = func() { s.grant("reset", s.queue, other) }
	s.offer(s.queue, many(3, "order")...)
}

// widened gives the user what the printed command prints.
func widened(s *scene) {
	s.t.Helper()
	printed(s)
	s.mend()
}

// grant lets the user of services use these queues alone.
func (s *scene) grant(first string, queues ...string) {
	s.t.Helper()
	rules, err := admin.ACLRules(admin.RoleServe, queues...)
	if err != nil {
		s.t.Fatal(err)
	}
	args := []any{"ACL", "SETUSER", "svc", first, "on", ">secret"}
	for _, r := range rules {
		args = append(args, r)
	}
	if err := s.redis.Client().Do(s.t.Context(), args...).Err(); err != nil {
		s.t.Fatal(err)
	}
}

func misspelt(s *scene) {
	s.t.Helper()
	s.serve("handles", func(it *spec) { it.Queues = []string{"ORDER_TIMEOUT"} })
	s.due(s.queue, 2*time.Minute, many(40, "order")...)
}

func nodeDown(s *scene) {
	s.t.Helper()
	c := lab.StartCluster(s.t, lab.AppendOnly(), lab.Args("--cluster-require-full-coverage", "no"))
	s.env = append(s.env[:len(s.env)-1], "DUEQUEUE_REDIS_ADDRS="+strings.Join(c.Addrs(), ","), "DUEQUEUE_REDIS_MODE=cluster")
	const lastSlots = 16384 / 3 * 2
	for i := 0; ; i++ {
		s.queue = fmt.Sprintf("ROW_15_%d", i)
		if c.Client().ClusterKeySlot(s.t.Context(), s.queue).Val() > lastSlots+1 {
			break
		}
	}
	s.serve("handles")
	s.put(c.Client(), s.queue, -time.Hour, "order 4711")
	s.watch()
	node := c.Nodes()[2]
	node.Kill()
	s.mend = node.Restart
}

func nodeUp(s *scene) { s.mend() }

// otherPartitions has a deploy with another number of partitions.
func otherPartitions(s *scene) {
	s.t.Helper()
	s.serve("handles", func(it *spec) { it.Partitions = 6 })
	s.needs = s.freeAddress()
	s.scrape(s.needs)
	p := s.launch("handles", func(it *spec) { it.Partitions, it.Metrics = 4, s.needs })
	s.await(func() string {
		if p.Running() {
			return "a service with other partitions runs"
		}
		return ""
	})
	for _, words := range []string{"deploy Partitions(6) with OtherPartitions(4) everywhere", "then Partitions(4) with OtherPartitions(6)", "then Partitions(4)"} {
		if !strings.Contains(p.said.String(), words) {
			s.t.Errorf("it does not say %q: %s", words, p.said)
		}
	}
}

func samePartitions(s *scene) {
	s.t.Helper()
	s.launch("handles", func(it *spec) { it.Partitions, it.Metrics = 6, s.needs })
}

// crashLoop has a supervisor start what dies.
func crashLoop(s *scene) {
	s.t.Helper()
	s.offer(s.queue, "order 4711")
	for {
		s.broken = s.launch("dies")
		s.await(func() string {
			dead := s.redis.Client().XLen(s.t.Context(), "duequeue:dead:{"+s.queue+"}").Val()
			if s.broken.Running() && dead == 0 {
				return "the message kills no process"
			}
			return ""
		})
		if s.broken.Running() {
			s.scrape(s.broken.await(s.t, servesOn))
			return
		}
	}
}

// javaGone has a queue of Java alone, which lose their consumer.
func javaGone(s *scene) {
	s.t.Helper()
	c := jvm.Start(s.t, redisson).Open(s.t, s.redis.URL())
	q := c.Queue(s.t, "string", s.queue)
	q.Hold(s.t)
	q.OfferMany(s.t, "order", 200, time.Second, 1)
	s.watch()
	s.await(func() string {
		if n := s.redis.Client().LLen(s.t.Context(), s.queue).Val(); n < 200 {
			return fmt.Sprintf("%d of 200 messages are ready", n)
		}
		return ""
	})
	c.Close(s.t)
}
