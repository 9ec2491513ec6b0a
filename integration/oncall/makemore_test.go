package oncall_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	chaos "github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig/database"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/outbox"
	"github.com/duequeue/duequeue/handlers/sqldb"
)

// clockAhead has a Java client move messages by a clock that is five minutes ahead.
func clockAhead(s *scene) {
	s.t.Helper()
	s.serve("handles")
	s.due(s.queue, -4*time.Minute, many(20, "order")...)
	c := jvm.Start(s.t, redisson, chaos.JavaClock(s.t, 5*time.Minute)...).Open(s.t, s.redis.URL())
	c.Queue(s.t, "string", s.queue).Hold(s.t)
	s.await(func() string {
		if n := s.redis.Client().ZCard(s.t.Context(), "redisson_delay_queue_timeout:{"+s.queue+"}").Val(); n > 0 {
			return fmt.Sprintf("%d of 20 messages are not moved", n)
		}
		return ""
	})
	s.repair = func() { c.Close(s.t) }
}

// clockSet ends the client whose clock is ahead: what is due later stays where it is.
func clockSet(s *scene) {
	s.t.Helper()
	s.repair()
	s.due(s.queue, -4*time.Minute, "order 4712")
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

// narrowed has a service of two queues lose a permission of one: its keys, or its channel.
func narrowed(lost string) func(*scene) {
	return func(s *scene) {
		s.t.Helper()
		const other = "STAYS"
		s.grant(s.queue, other)
		address := strings.Replace(s.redis.URL(), "redis://", "redis://svc:secret@", 1)
		before := s.env
		s.env = append(slices.Clone(before), "DUEQUEUE_REDIS_URL="+address)
		s.serve("handles", func(it *spec) { it.Queues = append(it.Queues, other) })
		s.env = before
		if lost == "keys" {
			rules := slices.DeleteFunc(s.rules(other), func(rule string) bool { return rule[0] != '~' })
			s.acl(append([]string{"SETUSER", "svc", "resetkeys"}, rules...)...)
		} else {
			s.acl("SETUSER", "svc", "resetchannels", "&redisson_delay_queue_channel:{"+other+"}")
		}
		s.offer(s.queue, many(3, "order")...)
	}
}

// widened gives the user what the printed command prints. All that it may do else stays.
func widened(s *scene) {
	s.t.Helper()
	printed(s)
	before := s.redis.Client().Do(s.t.Context(), "ACL", "GETUSER", "svc").String()
	words := strings.Fields(strings.NewReplacer("'", "").Replace(s.said))
	s.acl(words[1:]...)
	if after := s.redis.Client().Do(s.t.Context(), "ACL", "GETUSER", "svc").String(); len(after) <= len(before) || !strings.Contains(after, "STAYS") {
		s.t.Errorf("%s made %s of %s", s.said, after, before)
	}
}

// grant lets the user of services use these queues alone.
func (s *scene) grant(queues ...string) {
	s.t.Helper()
	s.acl(append([]string{"SETUSER", "svc", "reset", "on", ">secret"}, s.rules(queues...)...)...)
}

func (s *scene) rules(queues ...string) []string {
	s.t.Helper()
	rules, err := admin.ACLRules(admin.RoleServe, queues...)
	if err != nil {
		s.t.Fatal(err)
	}
	return rules
}

func (s *scene) acl(words ...string) {
	s.t.Helper()
	args := []any{"ACL"}
	for _, word := range words {
		args = append(args, word)
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

// moveThem does what the printed command has shown.
func moveThem(s *scene) {
	s.t.Helper()
	s.run(strings.Replace(s.found.Command, "move", "move -yes", 1))
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
	s.repair = node.Restart
}

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

// noRelay has a service write orders into its outbox, and no relay that sends them.
func noRelay(s *scene) {
	s.t.Helper()
	db := database.SQLite(s.t)
	schema, err := outbox.Schema(sqldb.SQLite, "")
	if err == nil {
		_, err = db.ExecContext(s.t.Context(), schema)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.serve("handles", func(it *spec) { it.Database = db.DSN })
	s.repair = func() { s.serve("handles", func(it *spec) { it.Database, it.Relays = db.DSN, true }) }
}

// wrongCodec has a Java consumer take messages that it cannot read.
func wrongCodec(s *scene) {
	s.t.Helper()
	s.serve("handles", func(it *spec) { it.Codec = "kryo5" })
	c := jvm.Start(s.t, redisson).Open(s.t, s.redis.URL())
	offers, takes := c.Queue(s.t, "kryo5", s.queue), c.Queue(s.t, "jsonjackson", s.queue)
	for i := 0; ; i++ {
		offers.Offer(s.t, jvm.Text(strconv.Quote(fmt.Sprintf("order %d", i))), 200*time.Millisecond)
		if _, err := takes.TryTake(s.t, time.Second, jvm.Text("null")); err != nil {
			break
		}
	}
	s.repair = func() { c.Close(s.t) }
}

func repaired(s *scene) { s.repair() }
