package chaos

import (
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// lease is a tenth of the default, so that a row takes seconds. Read timeouts are half of it.
const lease = 3 * time.Second

// limit is within which messages come back.
const limit = lease * 12 / 10

// row is one line of the table. What a row leaves open: one server, the usual cast.
type row struct {
	name, title string
	catches     string // what no cheaper test shows

	every      time.Duration // mean pause between the offers of one producer; 0: 20 ms
	await      int           // replicas that offers wait for
	codec      string        // see role
	partitions int           // of the queue; 0: one

	prepare func(s *stage)
	cast    func(s *stage)
	faults  func(s *stage)
	judge   func(s *stage, a *account) []string // further problems

	peers    bool          // other consumers can suffer the same
	losses   string        // are counted and not judged, because
	clocks   string        // due times and recovery are not judged, because
	recovery time.Duration // that is allowed; 0: limit
	revives  bool          // processes may end by themselves, and are started again
}

// table is all rows, in the order in which they run.
func table() []row {
	return []row{
		{
			name: "kill", title: "kill -9 of processes", peers: true,
			catches: "a pop that no lease covers, an offer or a transfer in several steps",
			faults: func(s *stage) {
				atOnce(func() { s.kills(consumers, s.some(20), 400*time.Millisecond) },
					func() {
						s.kills(producers, s.some(10), 300*time.Millisecond)
						s.kills(transferrers, s.some(10), 300*time.Millisecond)
					})
			},
		},
		{
			name: "pause", title: "SIGSTOP of consumers beyond the lease", peers: true,
			catches: "a process that goes on with what it has lost, takes from the new holder, or acks for it",
			faults: func(s *stage) {
				side := func() {
					for range s.some(5) / 2 {
						s.pauseOne(consumers)
						s.sleep(300 * time.Millisecond)
					}
				}
				atOnce(side, func() { s.sleep(lease / 2); side() })
			},
		},
		{
			name: "redis-kill", title: "Redis kill -9, back from its AOF", peers: true,
			catches: "a reply that says more than the file, a client that does not find back",
			faults:  func(s *stage) { s.redisKills(s.some(6)) },
		},
		{
			name: "redis-pause", title: "Redis SIGSTOP beyond the lease",
			catches: "all leases end at once: what is settled late is settled for others",
			faults: func(s *stage) {
				s.strike(fault.Pause(s.server), strike{outage: true, repeats: true}, lease+time.Second)
			},
		},
		{
			name: "memory", title: "full Redis, noeviction",
			catches: "a script that removes first and is refused then, or needs memory to settle",
			faults: func(s *stage) {
				f := fault.FullMemory(s.tb, s.server)
				for range 2 {
					s.strike(f, strike{}, 3*time.Second)
					s.sleep(time.Second)
				}
			},
		},
		{
			name: "lost-replies", title: "replies lost, cut off, or never coming", peers: true,
			catches: "a take that is not repeated by its nonce, a call that is repeated and does its work twice",
			prepare: lossyServer, faults: lostReplies,
		},
		{
			name: "network", title: "half of the processes without network beyond the lease", peers: true,
			catches: "a process that is cut off and acts as if it held its lease, commands that come late and count",
			prepare: proxiedServer, cast: halfProxied, faults: noNetwork,
		},
		{
			name: "sentinel", title: "Sentinel failover, replica behind",
			catches: "a client that stays with the old primary; measured: what an asynchronous replica loses",
			losses:  "the replica had not got them", prepare: sentinelGroup, faults: func(s *stage) { s.laggingFailovers(s.some(8)/2, 500*time.Millisecond) },
		},
		{
			name: "sentinel-wait", title: "the same, offers wait for the replica",
			catches: "an ack that deletes what came back after the rollback, or its neighbour",
			await:   1, every: 60 * time.Millisecond, prepare: sentinelGroup, cast: slowCast, faults: func(s *stage) { s.laggingFailovers(s.some(6)/2+1, time.Second) },
		},
		{
			name: "cluster", title: "Cluster, 8 partitions: slots move, nodes die or hang, and kill -9",
			catches:    "a partition that is looked for in another one's slot or that nobody reaps, a node for which the others wait",
			partitions: 8, prepare: clusterOfThree, faults: clusterFaults, judge: othersWentOn,
		},
		{
			name: "clock-back", title: "Redis's clock goes back by 60 s, and kill -9",
			catches: "a lease that ends by the clock of before, a minute late", recovery: limit + lease,
			prepare: wrongClock, faults: clockBack,
		},
		{
			name: "clock-java", title: "clocks of Java's producers wrong by ±10 s, and kill -9",
			catches: "a transfer that trusts the time of who offered", every: 60 * time.Millisecond,
			clocks: "Java offers and transfers by its own clock", cast: wrongJava,
			faults: func(s *stage) { s.kills(consumers, s.some(10), 500*time.Millisecond) }, judge: clocksWereWrong,
		},
		{
			name: "poison", title: "poison bytes and elements, and messages that kill their process",
			catches: "a bad element that stops the queue or vanishes, a neighbour that dies with a killer",
			codec:   "kryo5", faults: poison, judge: inDeadStore, revives: true,
		},
		{
			name: "java-cluster", title: "Go and Java in a Cluster: slots move, nodes die",
			catches: "an element or a wake-up that Java breaks across a redirection", every: 60 * time.Millisecond,
			prepare: clusterOfThree, cast: withJava, judge: javaWentOn,
			faults: func(s *stage) {
				move, kill := fault.SlotMove(s.tb, s.cluster, queueName), fault.NodeKill(s.tb, s.cluster, queueName)
				for range s.some(3) {
					s.strike(move, strike{outage: true, repeats: true}, 700*time.Millisecond)
					s.sleep(s.between(500*time.Millisecond, 1500*time.Millisecond))
					s.strike(kill, strike{outage: true, repeats: true}, 300*time.Millisecond)
					s.sleep(s.between(time.Second, 2*time.Second))
				}
			},
		},
		{
			name: "storm", title: "Go and Java; kills, pauses, Redis kills and lost replies at random",
			catches: "any of these, together", every: 30 * time.Millisecond,
			// The ledger does not know what a process has taken and not begun: a process may stand
			// still with it, and then be killed.
			recovery: 2 * limit,
			prepare:  lossyServer, cast: stormCast, faults: storm,
		},
	}
}

// Casts.

// usualCast is three producers, two transferrers and four consumers, of which two run in fx and
// two handle batches. Other consumers have two producers, and asynq its own.
func usualCast(s *stage) {
	switch s.who {
	case us:
		s.enlist(producers, "produce", 3, nil)
		s.enlist(transferrers, "transfer", 2, nil)
		s.enlist(consumers, "consume", 4, mixed)
		return
	case "asynq":
		s.enlist(producers, "asynq-produce", 2, nil)
	default:
		s.enlist(producers, "produce", 2, nil)
		s.enlist(bystanders, "transfer", 1, nil)
	}
	s.consumersOf(s.who, nil)
}

// consumersOf are four processes of another consumer.
func (s *stage) consumersOf(who string, change func(i int, r *role)) {
	switch who {
	case "redisson":
		s.enlistJava(consumers, "consume", javaVersions[0], 4)
	case "asynq":
		s.enlist(consumers, "asynq-consume", 4, change)
	default:
		s.enlist(consumers, "blpop", 4, change)
	}
}

// mixed makes consumers of single messages and of batches, half of them in fx. Few workers, so
// that batches become large, and yet so many that two of four consumers keep up.
func mixed(i int, r *role) {
	if r.FX = i%2 == 1; i%4 >= 2 {
		r.Workers, r.Batch, r.Work = 3, 8, 90*time.Millisecond
	}
}

// halfProxied is the usual cast, of whose consumers each second goes through the proxy.
func halfProxied(s *stage) {
	direct := func(_ int, r *role) { r.Redis = framework.RedisConfig{URL: s.server.URL()} }
	if s.who == "asynq" {
		s.enlist(producers, "asynq-produce", 2, direct)
	} else {
		s.enlist(producers, "produce", 3, direct)
		s.enlist(bystanders, "transfer", 2, direct)
	}
	half := func(i int, r *role) {
		mixed(i/2, r)
		if i%2 == 1 {
			direct(i, r)
		}
	}
	switch s.who {
	case us:
		s.enlist(consumers, "consume", 4, half)
	case "redisson":
		s.enlistJava(consumers, "consume", javaVersions[0], 1)
		proxied := s.redis
		s.redis = framework.RedisConfig{URL: s.server.URL()}
		s.enlistJava(bystanders, "consume", javaVersions[0], 1)
		s.redis = proxied
	default:
		s.consumersOf(s.who, half)
	}
}

// slowCast has handlers that take longer than a failover, and of which a third fails at first.
// The workers are enough to work off what gathers meanwhile. Messages come without delay, so that
// one take gets several.
func slowCast(s *stage) {
	s.enlist(producers, "produce", 3, func(_ int, r *role) { r.MaxDelay = 0 })
	s.enlist(transferrers, "transfer", 2, nil)
	s.enlist(consumers, "consume", 4, func(i int, r *role) { r.FX, r.Workers, r.Work, r.Fail = i%2 == 1, 100, 5*time.Second, 3 })
}

// withJava is the usual cast with Java's producers of two releases, which transfer too.
func withJava(s *stage) {
	for _, version := range javaVersions {
		s.enlistJava(javaProducers, "produce", version, 1)
	}
	usualCast(s)
}

// stormCast is a large cast with Java's producers. Half of ours goes through the proxy; Java does
// not, since its offers that are sent again would be told to fail.
func stormCast(s *stage) {
	proxied := s.redis
	s.redis = framework.RedisConfig{URL: s.server.URL()}
	for _, version := range javaVersions {
		s.enlistJava(javaProducers, "produce", version, 1)
	}
	half := func(i int, r *role) {
		if mixed(i, r); i%2 == 0 {
			r.Redis = proxied
		}
	}
	single := func(i int, r *role) { half(i, r); r.Batch = 0 }
	s.enlist(producers, "produce", 4, single)
	s.enlist(transferrers, "transfer", 3, single)
	s.enlist(consumers, "consume", 8, half)
}

// Servers.

func lossyServer(s *stage) {
	s.serve()
	s.lossy = fault.StartLossy(s.tb, s.server.Addr(), s.seed)
	s.redis = framework.RedisConfig{URL: s.lossy.URL()}
}

func proxiedServer(s *stage) {
	s.serve()
	s.proxy = lab.StartProxy(s.tb, s.server.Addr())
	s.redis = framework.RedisConfig{URL: s.proxy.URL()}
}

func sentinelGroup(s *stage) {
	s.sentinel = lab.StartSentinel(s.tb, lab.AppendOnly())
	s.redis = framework.RedisConfig{Addrs: s.sentinel.Addrs(), MasterName: s.sentinel.MasterName()}
	s.masters = func() []*redis.Client { return []*redis.Client{s.sentinel.Client()} }
}

// clusterOfThree goes on with the other nodes while one hangs.
func clusterOfThree(s *stage) {
	s.cluster = lab.StartCluster(s.tb, lab.AppendOnly(), lab.Args("--cluster-require-full-coverage", "no"))
	s.redis = framework.RedisConfig{Addrs: s.cluster.Addrs(), Mode: framework.ModeCluster}
	s.masters = func() (all []*redis.Client) {
		for _, n := range s.cluster.Nodes() {
			all = append(all, n.Client())
		}
		return all
	}
}

func wrongClock(s *stage) {
	s.clock = fault.NewClock(s.tb)
	s.serve(lab.Env(s.clock.Env()...))
}

// Faults.

func (s *stage) redisKills(n int) {
	kill := fault.Kill(s.server)
	for range n {
		s.strike(kill, strike{outage: true, repeats: true}, s.between(50*time.Millisecond, 700*time.Millisecond))
		s.sleep(s.between(500*time.Millisecond, 1500*time.Millisecond))
	}
}

// lostReplies loses those that carry messages, in each way, and then any.
func lostReplies(s *stage) {
	const messages = "produce" // stands in every message, see producer.next
	for _, f := range []fault.Fault{
		s.lossy.Lose(messages, 0.3, fault.Broken), s.lossy.Lose(messages, 0.3, fault.CutOff),
		s.lossy.Lose(messages, 0.1, fault.Hanging), s.lossy.Lose("", 0.02, fault.Broken),
	} {
		s.strike(f, strike{repeats: strings.HasSuffix(f.Name, fault.Hanging.String())}, 3*time.Second)
		s.sleep(500 * time.Millisecond)
	}
}

// noNetwork takes the network from the proxied half, in each way. What they have in hand is
// handled by the others.
func noNetwork(s *stage) {
	for _, f := range []fault.Fault{fault.Mute(s.proxy), fault.Hold(s.proxy), fault.Cut(s.proxy)} {
		var hit []string
		for i, c := range s.fleet.of(consumers) {
			if i%2 == 0 {
				_, name := c.process()
				hit = append(hit, name)
			}
		}
		s.strike(f, strike{procs: hit, repeats: true}, lease+time.Second)
		s.sleep(2 * time.Second)
	}
}

// laggingFailovers kill a primary whose replica has been cut off for a while.
func (s *stage) laggingFailovers(n int, behind time.Duration) {
	cut, kill := fault.CutReplication(s.tb, s.sentinel), fault.PrimaryKill(s.tb, s.sentinel)
	for range n {
		from := s.now()
		s.strike(cut, strike{}, behind)
		before := kill.Effects()
		s.strike(kill, strike{outage: true, repeats: true, from: from}, 0)
		s.sleep(s.between(time.Second, 2*time.Second))
		s.failedBack(kill.Effects() - before - 1)
	}
}

// failedBack keeps account of n further failovers since the last strike.
func (s *stage) failedBack(n int) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	last := *s.strikes[len(s.strikes)-1]
	last.what, last.effects, last.healed = last.what+", and back", 1, now
	for range n {
		s.strikes = append(s.strikes, &last)
	}
}

// clusterFaults strike at partitions of one node after the other.
func clusterFaults(s *stage) {
	client, err := framework.Open(s.ctx, framework.Config{Redis: s.redis, NoTransfer: true})
	must(s.tb, err)
	defer func() { _ = client.Close() }()
	all, err := admin.Partitions(s.ctx, client, queueName)
	must(s.tb, err)
	for range max(1, s.some(10)/5) {
		key := all[s.dice(len(all))].Name
		hung := s.cluster.Nodes()[fault.Owner(s.tb, s.cluster, key)]
		for _, f := range []struct {
			fault   fault.Fault
			lasting time.Duration
		}{
			{fault.SlotMove(s.tb, s.cluster, key), 700 * time.Millisecond},
			{fault.NodeKill(s.tb, s.cluster, key), 300 * time.Millisecond},
			{fault.Pause(hung), lease * 2 / 3},
		} {
			s.strike(f.fault, strike{outage: true, repeats: true}, f.lasting)
			s.sleep(s.between(500*time.Millisecond, time.Second))
		}
		s.kills(consumers, 2, 400*time.Millisecond)
	}
}

// clockBack kills right before Redis's clock goes back, when the deadline of who died comes to
// lie far ahead, and while it is far behind. What is due meanwhile waits.
func clockBack(s *stage) {
	s.killOne(consumers, 0)
	s.strikeAround(s.clock.Jump(s.tb, s.server, -time.Minute), strike{late: true, repeats: true}, func() {
		s.kills(consumers, s.some(10), 600*time.Millisecond)
		s.sleep(3 * lease)
	})
}

// skew is how wrong the clocks of Java are.
const skew = 10 * time.Second

// wrongJava has Java producers with wrong clocks, and one right one that takes its share and is
// not harmed.
func wrongJava(s *stage) {
	for i, by := range []time.Duration{skew, -skew} {
		s.enlistJava(javaProducers, "produce", javaVersions[i], 1, fault.JavaClock(s.tb, by)...)
	}
	s.enlistJava(bystanders, "consume", javaVersions[0], 1)
	usualCast(s)
}

// storm strikes from four sides at once. Some processes are paused at any time.
func storm(s *stage) {
	anyKind := func() string { return []string{consumers, consumers, consumers, producers, transferrers}[s.dice(5)] }
	pauses := func() {
		for range s.some(18) {
			s.pauseOne(anyKind())
			s.sleep(s.between(100*time.Millisecond, 600*time.Millisecond))
		}
	}
	atOnce(pauses, pauses, pauses,
		func() {
			for range s.some(105) {
				s.killOne(anyKind(), s.between(0, 300*time.Millisecond))
				s.sleep(s.between(300*time.Millisecond, 900*time.Millisecond))
			}
		},
		func() {
			for range s.some(11) {
				s.sleep(s.between(2*time.Second, 6*time.Second))
				s.redisKills(1)
			}
		},
		func() {
			for i := range s.some(15) {
				f := s.lossy.Lose("", 0.05, fault.How(i%3))
				s.strike(f, strike{repeats: true, idle: true}, s.between(500*time.Millisecond, 1500*time.Millisecond)) // all may be paused or dead
				s.sleep(s.between(time.Second, 4*time.Second))
			}
		})
}

// Judgements.

// othersWentOn wants messages to be handled while a node hung: those of the other nodes.
func othersWentOn(s *stage, _ *account) (problems []string) {
	for _, k := range s.strikes {
		if k.what != "Redis SIGSTOP" {
			continue
		}
		n := 0
		for _, m := range s.tally.messages {
			for _, h := range m.starts {
				if h.at > k.at+500 && h.at < k.healed { // not what was in hand
					n++
				}
			}
		}
		if n < 10 {
			problems = append(problems, fmt.Sprintf("only %d messages were handled while a node hung", n))
		}
	}
	return problems
}

func clocksWereWrong(s *stage, _ *account) []string {
	wrong := 0
	for _, by := range s.tally.clocks {
		if by.Abs() > skew/2 {
			wrong++
		}
	}
	if wrong < 2 {
		return []string{fmt.Sprintf("%d processes had a wrong clock, not 2", wrong)}
	}
	return nil
}

// javaWentOn wants Java's producers to have found their way after the last fault.
func javaWentOn(s *stage, _ *account) (problems []string) {
	last := int64(0)
	for _, k := range s.strikes {
		last = max(last, k.healed)
	}
	for _, slot := range s.fleet.of(javaProducers) {
		after := 0
		for _, m := range s.tally.messages {
			if m.accepted > last && strings.HasPrefix(m.producer, slot.base+".") {
				after++
			}
		}
		if after == 0 {
			problems = append(problems, slot.base+" offered nothing after the last fault")
		}
	}
	return problems
}
