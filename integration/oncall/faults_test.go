package oncall_test

import (
	"slices"
	"strings"
	"testing"

	prom "github.com/duequeue/duequeue/framework/integration/rig/prometheus"
)

// fault is one that somebody on call meets: how it comes about, what is said of it, and what ends it.
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
	soon    []string // words that today's sentence lacks: the test fails when it has them
	pending string   // why today's program does not say it: the test fails when it does
}

var faults = []fault{
	{
		name: "1 no process transfers", make: noProcess,
		state: "stuck", words: []string{"40 messages are due, the oldest for 24 min", "no process moves or takes them"}, command: "duequeue transfer -queues Q",
		alert: "DuequeueOverdue", cure: transferThenServe,
	},
	{
		name: "2 a consumer is killed", make: killedConsumer,
		state: "silent", words: []string{"killed"}, command: "duequeue reap -wait Q",
		alert: "DuequeueProcessDied", cure: then(printed, serveAgain),
	},
	{
		name: "3 a dependency is down", make: dependencyDown,
		state: "held up", words: []string{"handlers fail one after the other, and their breaker is open", "*net.OpError", "connection refused"}, command: "duequeue dead groups Q",
		alert: "DuequeueBreakerOpen", cure: then(printed, dependencyUp),
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
	s.await(func() string {
		if queue, server := s.doctor(); len(f.those(queue, server)) > 0 {
			return "after the cure: " + f.those(queue, server)[0].Message
		}
		return ""
	})
	s.step("the command line finds nothing")
	s.await(func() string {
		if page := s.page(s.queuePage()); f.state != "" && strings.Contains(page, plain(f.sentence(s.found))) {
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

// those are the findings that the row is about.
func (f *fault) those(queue, server []finding) []finding {
	if !f.server {
		return queue
	}
	return slices.DeleteFunc(slices.Clone(server), func(one finding) bool { return one.Check != f.state })
}

// sentence is a finding as the console has it.
func (f *fault) sentence(one finding) string {
	if f.server {
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
	case f.state == "":
		if len(found) > 0 {
			return "doctor: " + found[0].Message
		}
		return ""
	case len(found) == 0:
		return "doctor finds nothing"
	}
	s.found = found[0]
	said := s.found.State + ": " + s.found.Message + " " + s.found.Evidence + " | " + s.found.Advice + " | " + s.found.Command
	missing := slices.DeleteFunc(slices.Clone(f.words), func(word string) bool { return strings.Contains(said, word) })
	if command := strings.ReplaceAll(f.command, "Q", s.queue); s.found.State != f.state || len(missing) > 0 || s.found.Command != command {
		return "doctor: " + said + "\nlacks " + strings.Join(append(missing, f.state, command), ", ")
	}
	if state := s.stateOf(); !f.server && state != f.state {
		return "queues: " + state
	}
	return ""
}

// onTheConsole returns what the page of the queue does not say, of what the command line says.
func (f *fault) onTheConsole(s *scene) string {
	s.t.Helper()
	if text := f.onTheCommandLine(s); text != "" {
		return text
	}
	page, want := s.page(s.queuePage()), f.sentence(s.found)
	if f.state == "" {
		want = "fine "
	}
	if !strings.Contains(page, plain(want)) || !strings.Contains(page, plain(s.found.Command)) {
		return "the page lacks: " + plain(want) + " " + s.found.Command + "\n" + page[:min(len(page), 900)]
	}
	return ""
}
