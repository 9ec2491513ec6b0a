package oncall_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	prom "github.com/duequeue/duequeue/framework/integration/rig/prometheus"
)

// fault is one that people on call meet: how it comes about, what is said of it, and what ends it.
type fault struct {
	name    string
	queue   string // by its number where it is empty
	make    func(*scene)
	server  bool     // the finding is of Redis, not of the queue
	state   string   // in a word; "" where nothing of the queue is wrong
	words   []string // that the sentence has
	command string   // that is printed, of the queue Q
	alert   string
	cure    func(*scene)
	lasts   bool // the finding stays for a while, since it shows what was
	hint    bool // Redis does not show the fault: the finding is a hint that it may be there
}

var faults = []fault{
	{
		name: "1 no process transfers", make: noProcess,
		state: "stuck", words: []string{"40 messages are due, the oldest for 24 min", "no process moves or takes them"}, command: "duequeue transfer -listen off -queues Q",
		alert: "DuequeueOverdue", cure: transferThenServe,
	},
	{
		name: "2 a consumer is killed", make: killedConsumer,
		state: "silent", words: []string{"killed"}, command: "duequeue reap -wait Q",
		alert: "DuequeueProcessDied", cure: then(printed, serveAgain),
	},
	{
		name: "3 a dependency is down", make: dependencyDown,
		state: "held up", words: []string{"handlers fail one after the other, and their breaker is open", "*net.OpError", "connection refused"}, command: "duequeue ps Q",
		alert: "DuequeueBreakerOpen", cure: then(printed, says("last error: ", "connection refused"), dependencyUp),
	},
	{
		name: "4 poison after a deploy", make: poison,
		state: "dead", words: []string{"8 messages are in the dead store, 8 with the reason rejected", "duequeue dead show ROW_4 "}, command: "duequeue dead groups Q",
		alert: "DuequeueDeadLetters", cure: then(printed, says("the order has no address", "no such refund"), rollBack("")),
	},
	{
		name: "5 Java writes another codec", make: otherCodec,
		state: "held up", words: []string{"the next messages are of another codec than the program declares (kryo5); jsonjackson reads", "duequeue dead bury -reason 'another codec' -codec jsonjackson ROW_5"}, command: "duequeue inspect Q",
		alert: "DuequeueUndecodable", cure: then(printed, says("jsonjackson"), declareBoth),
	},
	{
		name: "6 a pause is forgotten", make: paused,
		state: "paused", words: []string{"paused in all Go processes by ", "the warehouse moves"}, command: "duequeue resume Q",
		alert: "DuequeueLag", cure: printed,
	},
	{
		name: "7 the rate limit is too low", make: lowRate,
		state: "late", words: []string{"9 messages are ready, the oldest for 18 min", "the rate limit lets no more through: 1 Go process handles at most 0.05 a second, as the program declares"},
		alert: "DuequeueFinding", cure: serveAgain,
	},
	{
		name: "8 handlers hang", make: hang,
		state: "held up", words: []string{"handlers hang", "pid ", "restart these processes"}, command: "duequeue inflight Q",
		alert: "DuequeueHungHandlers", cure: then(printed, restart),
	},
	{
		name: "9 handlers are slow", make: slow,
		state: "late", words: []string{"messages are ready, the oldest for 18 min", "handlers are slower than messages come, all workers of 1 Go process are busy"}, command: "duequeue inflight Q",
		alert: "DuequeueFinding", cure: then(printed, serveAgain),
	},
	{
		name: "10 a payload of 8 MB", make: giant,
		state: "dead", words: []string{"1 message is in the dead store, 1 with the reason oversized"}, command: "duequeue dead groups Q",
		alert: "DuequeueDeadLetters", cure: then(printed, says("oversized", "bytes, limit"), lookAtGiant, drop),
	},
	{
		name: "11 a Java clock is ahead", make: clockAhead,
		state: "early", words: []string{"before they were due", "the clock of a Java client is ahead"},
		alert: "DuequeueEarly", cure: clockSet, lasts: true,
	},
	{
		name: "12a Redis is full", make: full, server: true,
		state: "memory", words: []string{"Redis is full", "it refuses offers", "raise maxmemory"},
		alert: "DuequeueOffersRefused", cure: moreMemory,
	},
	{
		name: "12b Redis evicts", make: evicts, server: true,
		state: "evicted", words: []string{"Redis has deleted ", "messages, or whole queues, may be lost", "noeviction"},
		alert: "DuequeueFinding", cure: noEviction,
	},
	{
		name: "13 a queue loses its channel", make: narrowed("channel"),
		state: "deaf", words: []string{"the Redis user svc of 1 Go process may not listen to redisson_delay_queue_channel:"}, command: "duequeue acl -add channels -user svc Q",
		cure: widened,
	},
	{
		name: "13b a queue loses its keys", make: narrowed("keys"),
		state: "denied", words: []string{"the Redis user svc of 1 Go process may not use keys of this queue, such as duequeue:processes:{ROW_13B}"}, command: "duequeue acl -add keys -user svc Q",
		alert: "DuequeueFinding", cure: widened,
	},
	{
		name: "14 a name is misspelt", queue: "ORDER_TIMEUOT", make: misspelt,
		state: "stuck", words: []string{"ORDER_TIMEOUT is served, and has no message: is one of the names misspelt?"}, command: "duequeue move Q ORDER_TIMEOUT",
		alert: "DuequeueOverdue", cure: then(printed, says("40"), moveThem),
	},
	{
		name: "15 a node of a cluster is down", make: nodeDown,
		state: "unreadable", words: []string{"the Redis node of this queue does not answer"},
		alert: "DuequeueFinding", cure: repaired,
	},
	{
		name: "16 an outbox without relay", make: noRelay,
		state: "outbox", words: []string{"Go processes write messages of this queue into an outbox, and no relay has ever looked for them"},
		alert: "DuequeueOutboxRelayGone", cure: repaired,
	},
	{
		name: "17 partitions 6 and 4", make: otherPartitions,
		alert: "DuequeueDown", cure: samePartitions,
	},
	{
		name: "18 a message kills its processes", make: crashLoop,
		state: "dead", words: []string{"1 message is in the dead store, 1 with the reason crash-loop", "redrive -all leaves those that killed a process or hung"}, command: "duequeue dead groups Q",
		alert: "DuequeueDeadLetters", cure: then(printed, says("crash-loop", "processes that died"), rollBack("-harmful ")),
	},
	{
		name: "19 Java takes what it cannot read", make: wrongCodec, hint: true,
		words: []string{"to this queue: Java programs, or", "A message that a Java program takes and cannot read is lost", "kryo5"}, command: "duequeue inspect Q",
		cure: repaired,
	},
	{
		name: "20 Java alone, its consumer is gone", make: javaGone,
		state: "unserved", words: []string{"200 messages are ready", "no Go process serves the queue, and no program listens to it"},
		alert: "DuequeueLag", cure: serveAgain,
	},
}

// Twenty faults, each made for real. The command line and the console say the same: how the queue
// stands in a word, and the cause in a sentence. An alert fires. The command that they print, or what the
// sentence says where it is no command, ends the fault.
func TestOnCall(t *testing.T) {
	t.Parallel()
	alerts := prom.Start(t, map[string]string{"rules.yml": prom.Hurried(t), "prometheus.yml": `
global: {evaluation_interval: 500ms, scrape_interval: 1s, scrape_timeout: 1s}
rule_files: [rules.yml]
scrape_configs:
  - {job_name: duequeue, file_sd_configs: [{files: ['*.json']}]}
`})
	t.Run("faults", func(t *testing.T) {
		for _, f := range faults {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				number, _, _ := strings.Cut(f.name, " ")
				if f.queue == "" {
					f.queue = "ROW_" + strings.ToUpper(number)
				}
				f.meet(newScene(t, alerts, f.queue))
			})
		}
	})
}

// meet makes the fault, looks, and ends it.
func (f *fault) meet(s *scene) {
	f.make(s)
	s.open()
	if s.hold() {
		return
	}
	s.step("the fault is there")
	s.await(func() string { return f.onTheCommandLine(s) })
	s.step("the command line says: %s: %s", s.found.State, s.found.Message)
	s.await(func() string { return f.onTheConsole(s) })
	s.step("the console says it")
	s.await(func() string {
		if firing := s.firing(); f.alert != "" && !slices.Contains(firing, f.alert) {
			return "alerts: " + strings.Join(firing, ", ") + ", not " + f.alert
		}
		return ""
	})
	s.step("%s fires", f.alert)
	f.cure(s)
	s.step("cured")
	if f.lasts {
		return
	}
	s.await(func() string { return f.fine(s) })
	s.step("the command line finds nothing")
	s.await(func() string {
		if page := s.page(s.queuePage()); s.found.Message != "" && strings.Contains(page, plain(f.sentence(s.found))) {
			return "after the cure the console says: " + s.found.Message
		}
		return ""
	})
	s.step("the console neither")
	s.await(func() string {
		if firing := s.firing(); slices.Contains(firing, f.alert) {
			return f.alert + " fires after the cure"
		}
		return ""
	})
	s.step("no alert")
}

// said is all that is printed of a finding.
func (f finding) said() string {
	return f.State + ": " + f.Message + " " + f.Evidence + " | " + f.Advice + " | " + f.Command
}

// fine returns what the command line finds where nothing is wrong.
func (f *fault) fine(s *scene) string {
	s.t.Helper()
	if queue, server := s.doctor(); len(queue)+len(server) > 0 {
		return "doctor: " + append(queue, server...)[0].said()
	}
	if s.code != 0 && !strings.Contains(s.warned, "no such queue: "+s.queue) { // nothing is left of it
		return fmt.Sprintf("doctor finds nothing, and exits with %d: %s", s.code, s.warned)
	}
	return ""
}

// those are the findings that the row is about.
func (f *fault) those(queue, server []finding) []finding {
	if !f.server {
		return queue
	}
	return slices.DeleteFunc(slices.Clone(server), func(one finding) bool { return one.Check != f.state })
}

// sentence is a finding as the console has it.
func (f *fault) sentence(one finding) string {
	switch {
	case one.Message == "":
		return "fine "
	case f.server, f.hint:
		return one.Message[1:]
	}
	return one.State + " " + strings.ToUpper(one.Message[:1]) + one.Message[1:]
}

// onTheCommandLine returns what the command line does not say.
func (f *fault) onTheCommandLine(s *scene) string {
	s.t.Helper()
	queue, server := s.doctor()
	found := f.those(queue, server)
	switch {
	case f.hint:
		found = s.hints
	case f.state == "":
		return f.fine(s)
	}
	if len(found) == 0 {
		return "doctor finds nothing: " + s.warned
	}
	if s.found = found[0]; s.code != 1 && !f.hint {
		return fmt.Sprintf("doctor finds something, and exits with %d", s.code)
	}
	said := s.found.said()
	missing := slices.DeleteFunc(slices.Clone(f.words), func(word string) bool { return strings.Contains(said, word) })
	if command := strings.ReplaceAll(f.command, "Q", s.queue); s.found.State != f.state && !f.hint || len(missing) > 0 || s.found.Command != command {
		return "doctor: " + said + "\nlacks " + strings.Join(append(missing, f.state, command), ", ")
	}
	state, warned := s.stateOf()
	switch {
	case f.hint && state != "fine":
		return "queues: " + state
	case f.hint:
	case !f.server && state != f.state:
		return "queues: " + state
	case f.server && !strings.Contains(plain(warned), plain(s.found.Message)):
		return "queues of the server: " + warned
	}
	return ""
}

// onTheConsole returns what the console does not say, of what the command line says: on the page of the
// queue the sentence, in the list of all queues the word.
func (f *fault) onTheConsole(s *scene) string {
	s.t.Helper()
	if text := f.onTheCommandLine(s); text != "" {
		return text
	}
	page, want := s.page(s.queuePage()), f.sentence(s.found)
	if !strings.Contains(page, plain(want)) || !strings.Contains(page, plain(s.found.Command)) {
		return "the page lacks: " + plain(want) + " " + s.found.Command + "\n" + page[:min(len(page), 900)]
	}
	list, row := s.page("/"), s.queue+" "+cmp.Or(f.state, "fine")
	if f.server {
		row = "Redis: " + s.found.Message
	}
	if !strings.Contains(list, plain(row)) {
		return "the list lacks: " + plain(row) + "\n" + list[:min(len(list), 900)]
	}
	return ""
}
