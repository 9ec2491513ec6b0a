package main

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/bench/recorded"
)

// Parts run in one order, however they are asked for.
func TestChoose(t *testing.T) {
	for _, tt := range []struct{ list, want string }{
		{"delayed", "burst overdue pending steady processes bulk cancel peers"},
		{"engine,delayed", "consume lateness offers idle burst overdue pending steady processes bulk cancel peers"},
		{"cancel,idle,burst,burst", "idle burst cancel"},
		{"scale", "callers partitions thousand mixed fleets10 fleets50"},
	} {
		got, err := choose(tt.list)
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("choose(%q) = %q, %v; want %q", tt.list, got, err, tt.want)
		}
	}
	if _, err := choose("burst,nonsense"); err == nil || !strings.Contains(err.Error(), `"nonsense"`) {
		t.Errorf("an unknown part: error %v does not name it", err)
	}
}

// A ratio is taken inside each round; a side with fewer rounds bounds it.
func TestRatio(t *testing.T) {
	s := series{"jar": {40, 90}, "ours": {2, 3, 100}}
	if got := s.ratio("jar", "ours"); got != 25 {
		t.Errorf("ratio %v, want 25, the median of 20 and 30", got)
	}
	if got := s.ratio("jar", "nobody"); !math.IsNaN(got) {
		t.Errorf("ratio %v to what was not measured, want none", got)
	}
	if g := atLeast("", s.ratio("jar", "nobody"), 10); g.met {
		t.Error("a goal of what was not measured is met")
	}
}

// All figures of a plan are reached: each case of the burst has rounds, and the data of
// Redisson are enough for each part.
func TestPlans(t *testing.T) {
	for _, p := range []plan{fullPlan, quickPlan} {
		if p.peerRounds < 1 || p.peerMessages < 1 {
			t.Errorf("%s plan: %d rounds of %d messages beside the peers", p.name, p.peerRounds, p.peerMessages)
		}
		need := 0
		for _, part := range delayedParts {
			need = max(need, p.captured(part))
		}
		var names []string
		cases := append(p.burstCases(false), p.burstCases(true)...)
		for _, u := range cases {
			if u.rounds < 1 || u.n > need {
				t.Errorf("%s plan, %s: %d rounds of %d messages, %d are there", p.name, u.name(), u.rounds, u.n, need)
			}
			names = append(names, u.name())
		}
		slices.Sort(names)
		if len(slices.Compact(names)) != len(cases) {
			t.Errorf("%s plan: two cases have one name: %q", p.name, names)
		}
	}
}

// Each contestant has a line in the table, and there is no other line.
func TestContestants(t *testing.T) {
	b := &bench{plan: quickPlan}
	var names []string
	for _, who := range b.contestants() {
		names = append(names, who.name)
	}
	order := (&consumed{}).order()
	slices.Sort(names)
	slices.Sort(order)
	if !slices.Equal(names, order) || !slices.Contains(names, bullConcurrent) {
		t.Errorf("contestants %q, lines of the table %q", names, order)
	}
	names = nil
	for _, who := range b.duePeers() {
		names = append(names, who.name)
	}
	if !slices.Equal(names, dueSides) {
		t.Errorf("peers %q, lines of their table %q", names, dueSides)
	}
}

// What is not noted of a side has no figure, and an early handler of ours misses a goal.
func TestPeersTable(t *testing.T) {
	r := &delayedPeers{offers: series{}, first: series{}, last: series{}, between: series{}, early: map[string]int64{ours: 2}, node: "Node, BullMQ"}
	for i, name := range dueSides {
		f := dueFound{offers: 1000, last: 0.5 * float64(i+1), first: 0.25}
		if name == jar {
			f.first = 0
		}
		r.add(name, f)
	}
	var w strings.Builder
	r.write(&w, quickPlan)
	for _, line := range []string{
		"| duequeue | 1.0k | 1 | 0.25 | 0.50 | 1 | 0.25 | 2 |\n",
		"| BullMQ | 1.0k | 1 | 0.25 | 1.50 | 3 | 1.25 | 0 |\n",
		"| Redisson | 1.0k | 1 | – | 2 | 4 | – | – |\n",
	} {
		if !strings.Contains(w.String(), line) {
			t.Errorf("no line %q in\n%s", line, &w)
		}
	}
	if goals := r.goals(); len(goals) != 1 || goals[0].met {
		t.Errorf("goals %+v: two early handlers of ours meet them", goals)
	}
}

// Due instants are whole seconds, and those of the rounds are spread over the time in which
// asynq looks once.
func TestDueInstant(t *testing.T) {
	b := &bench{plan: fullPlan, slowness: 1}
	before := time.Now()
	for round, least := range map[int]time.Duration{1: 1666 * time.Millisecond, 2: 3333 * time.Millisecond, 3: 0} {
		least += 10 * time.Second
		due := b.dueInstant(fullPlan.peerMessages, round)
		if ahead := due.Sub(before); due.Nanosecond() != 0 || ahead < least || ahead > least+1100*time.Millisecond {
			t.Errorf("round %d is due %v ahead, want a whole second at most one after %v", round, ahead, least)
		}
	}
}

// Handlers are early before the due instant alone.
func TestTally(t *testing.T) {
	soon := &tally{due: time.Now().Add(time.Hour).UnixMicro()}
	soon.hit()
	past := &tally{due: time.Now().Add(-time.Hour).UnixMicro()}
	past.hit()
	past.hit()
	if h := soon.handled(); h.Count != 1 || h.Early != 1 || h.First == 0 || h.First != h.Last {
		t.Errorf("one an hour before it is due: %+v", h)
	}
	if h := past.handled(); h.Count != 2 || h.Early != 0 || h.First > h.Last {
		t.Errorf("two an hour after: %+v", h)
	}
}

// Who has no Node.js learns what to install, and BullMQ is pinned to one release.
func TestBullMQ(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	b := &bench{ctx: t.Context(), dir: t.TempDir()}
	if _, err := b.bullmq(); err == nil || !strings.Contains(err.Error(), "apt-get install nodejs npm") {
		t.Errorf("without Node.js: error %v does not say what to install", err)
	}
	type packages struct {
		Dependencies map[string]string
		Packages     map[string]struct{ Version string }
	}
	read := func(name string) (p packages) {
		data, err := bullFiles.ReadFile("bullmq/" + name)
		if err == nil {
			err = json.Unmarshal(data, &p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	wanted, locked := read("package.json"), read("package-lock.json")
	for name, version := range wanted.Dependencies {
		if got := locked.Packages["node_modules/"+name].Version; got != version {
			t.Errorf("%s: %q is wanted and %q is locked", name, version, got)
		}
	}
	if wanted.Dependencies["bullmq"] == "" {
		t.Error("BullMQ is not wanted")
	}
}

// The plots of what scales have all lines, and figures beside them.
func TestScalePlots(t *testing.T) {
	r := &scaleReport{callers: &callers{rates: series{}}}
	for _, count := range callerCounts {
		for _, who := range []string{together, jarTogether} {
			r.callers.rates.add(callersName(who, count.n), float64(1000*count.n))
		}
	}
	for _, backlog := range []bool{true, false} {
		for _, n := range spreads {
			r.spread = append(r.spread, spreadCost{backlog: backlog, partitions: n, commands: [][]float64{{1, 0, 0}}})
		}
	}
	for _, p := range fullPlan.curve {
		load := curveLoad{kinds: map[string]float64{"take": float64(p.processes)}, cpu: 0.01}
		r.fleets = append(r.fleets, curveFound{curvePoint: p, idle: load, busy: load})
	}
	files := map[string][]byte{}
	for _, c := range r.file().chapters {
		if c.charts == nil {
			continue
		}
		plots, err := drawn(c.charts())
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(files, plots)
	}
	for name, lines := range map[string]int{callersPlot: 2, spreadPlot: 6, fleetRequestsPlot: 6, fleetCPUPlot: 4} {
		if got := strings.Count(string(files[name+".svg"]), `<path d="M636 `); got != lines {
			t.Errorf("%s: %d lines in the legend, want %d", name, got, lines)
		}
		if len(files[name+".csv"]) == 0 {
			t.Errorf("%s: no figures", name)
		}
	}
}

// A soak's messages are judged by their queues, and one that comes twice, early or not at
// all is found.
func TestMixedAccounts(t *testing.T) {
	m := &mixed{late: map[string][]float64{}}
	open, handled := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"go-0:0:1", "go-0:1:1", "go-0:1:2", "java-add:1:3", "go-1:1:4"} {
		open[name] = true
	}
	for _, one := range []string{"go-0:0:1:0:900000", "go-0:1:1:3:1500", "go-0:1:1:3:1500", "go-0:1:2:12:-5", "java-add:1:3:500:2500"} {
		if err := m.took(byGo, one, open, handled); err != nil {
			t.Fatal(err)
		}
	}
	if m.twice != 1 || m.early != 1 || len(open) != 1 || !open["go-1:1:4"] {
		t.Errorf("twice %d, early %d, missing %v", m.twice, m.early, open)
	}
	if got := m.of(byGo, inFront); !slices.Equal(got, []float64{1.5}) {
		t.Errorf("in front %v, want that of rank 3 alone: the other one was of the warm-up", got)
	}
	if got := m.of(byGo, theOthers); !slices.Equal(got, []float64{-0.005, 2.5}) {
		t.Errorf("the others %v", got)
	}
	for _, wrong := range []string{"", "go-0:1", "go-9:1:1:0:0", "go-0:x:y:z:w"} {
		if err := m.took(byGo, wrong, open, handled); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

// Traffic is Zipf's: the first queue gets twice as much as the second.
func TestZipf(t *testing.T) {
	z := newZipf(manyQueues)
	var counts [manyQueues]int
	for range 200_000 {
		counts[z.draw()]++
	}
	if ratio := float64(counts[0]) / float64(counts[1]); ratio < 1.8 || ratio > 2.2 {
		t.Errorf("the first queue gets %.2f times what the second gets", ratio)
	}
	names := map[string]bool{}
	for rank := range manyQueues {
		names[mixedName(rank)] = true
	}
	if len(names) != manyQueues {
		t.Errorf("%d names for %d ranks", len(names), manyQueues)
	}
}

// What an idle service sends is counted to its last line, however long one is.
func TestMonitorLines(t *testing.T) {
	source := strings.Repeat("x", 1<<20)
	w := &idleWatch{names: map[string]int{}}
	w.listen(strings.NewReader("OK\n" +
		`1764280000.1 [0 127.0.0.1:4242] "EVAL" "` + source + `" "0"` + "\n" +
		`1764280000.2 [0 lua] "zadd" "sessions" "1" "s"` + "\n" +
		`1764280000.3 [0 127.0.0.1:4242] "ping"` + "\n"))
	if w.names["eval"] != 1 || w.names["ping"] != 1 || len(w.names) != 2 {
		t.Errorf("counted %v, want one eval and one ping", w.names)
	}
	if w.ended == nil {
		t.Error("a MONITOR that has ended is not told of: its service would look idle")
	}
}

// A missed goal says why; one that is met does not.
func TestGoalsSayWhy(t *testing.T) {
	var w strings.Builder
	writeGoals(&w, []goal{
		atMost("lateness, ms", 1.3, 0.5).because("a PING takes %s", figure(1.05)),
		atMost("early", 0, 0).because("nothing"),
	})
	text := w.String()
	if !strings.Contains(text, "- lateness, ms: 1.30, wanted ≤ 0.5: a PING takes 1.05\n") || strings.Contains(text, "nothing") {
		t.Errorf("%s", text)
	}
}

// Some of what is pending falls due, each at its own moment of the window, in random places.
func TestSteadyDues(t *testing.T) {
	const pending, n = 100, 10
	data := &capture{}
	for i := range pending {
		data.elements = append(data.elements, "0123456789"+textValue(i))
		data.delays = append(data.delays, int64((i*37)%pending))
	}
	first := time.UnixMilli(1_000_000)
	dues, byPayload := steadyDues(data, pending, n, first)
	soon := 0
	for i, due := range dues {
		told, isSoon := byPayload[textValue(i)[:8]]
		switch {
		case isSoon && (told != due || due < first.UnixMilli() || due >= first.UnixMilli()+1000*n/steadyRate+1):
			t.Errorf("message %d is due at %d, the handler expects %d", i, due, told)
		case !isSoon && due < first.Add(time.Hour).UnixMilli():
			t.Errorf("message %d falls due in the window, and is not expected", i)
		case isSoon:
			soon++
		}
	}
	if soon != n {
		t.Errorf("%d messages fall due, want %d", soon, n)
	}
}

// A run replaces the chapters of its own parts, in their places, and leaves the others.
func TestChapters(t *testing.T) {
	said := "of before"
	tell := func(heading string, parts ...string) chapter {
		return chapter{
			heading: heading, parts: parts, write: func(w *strings.Builder, _ plan) { w.WriteString(said + "\n\n") },
			goals: func() []goal { return []goal{atMost(heading+" ÷ "+said, 2, float64(len(parts)))} },
		}
	}
	f := resultFile{title: "Measured", intro: "Intro.\n", chapters: []chapter{tell("One", "a"), tell("Two", "b", "c"), tell("Three", "d")}}
	h := head{started: time.Now()}
	old := f.markdown(h, []string{"a", "b", "c"}, "")
	if strings.Contains(old, "Three") {
		t.Errorf("a chapter that was not measured:\n%s", old)
	}
	said = "of now"
	now := f.markdown(h, []string{"b", "d"}, old)
	if got := f.markdown(h, nil, now); got != now {
		t.Errorf("a run of nothing changes\n%s\nto\n%s", now, got)
	}
	var headings []string
	for line := range strings.Lines(now) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "of ") {
			headings = append(headings, strings.TrimSpace(line))
		}
	}
	if got := strings.Join(headings, ", "); got != "# Measured, ## One, of before, ## Two, of before, ## Three, of now" {
		t.Errorf("chapters %s", got)
	}
	if !strings.Contains(now, "Goals met: 1, missed: 2.") {
		t.Errorf("the goals of all chapters are not counted:\n%s", now)
	}
}

// Each missed goal of the recorded results says why.
func TestEachMissedGoalSaysWhy(t *testing.T) {
	for _, name := range []string{"RESULTS.md", "RESULTS-delayed.md", "RESULTS-scale.md"} {
		recorded, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		missed, open := strings.Count(string(recorded), " | "+missedMark+" |\n"), 0
		for line := range strings.Lines(string(recorded)) {
			_, rest, found := strings.Cut(line, ", wanted ")
			if !found || !strings.HasPrefix(line, "- ") {
				continue
			}
			open++
			if _, why, _ := strings.Cut(rest, ": "); strings.TrimSpace(why) == "" {
				t.Errorf("%s: no reason: %s", name, line)
			}
		}
		if open != missed {
			t.Errorf("%s: %d goals are missed, and %d listed as open", name, missed, open)
		}
	}
}

// All parts have their chapter, and no file lacks one.
func TestEachPartHasItsChapter(t *testing.T) {
	var parts []string
	for _, f := range []resultFile{(&report{}).file(), (&delayedReport{}).file(fullPlan), (&scaleReport{}).file()} {
		recorded, err := os.ReadFile(f.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.chapters {
			parts = append(parts, c.parts...)
			if chaptersOf(string(recorded))[c.heading] == "" {
				t.Errorf("%s has no chapter %q: run make bench PARTS=%s", f.name, c.heading, strings.Join(c.parts, ","))
			}
		}
	}
	want := slices.Concat(engineParts, delayedParts, scaleParts)
	slices.Sort(want)
	slices.Sort(parts)
	if !slices.Equal(parts, want) {
		t.Errorf("chapters of %v, parts %v", parts, want)
	}
}

// A short look, which leaves peers and profiles out, is told like any other.
func TestConsumptionOfSome(t *testing.T) {
	c := &consumed{rates: series{}, cpu: series{}, own: series{}}
	for _, name := range []string{bareName(128), ourName("string", 128), blpopName} {
		c.rates.add(name, 1000)
		c.cpu.add(name, 1)
		c.own.add(name, 1)
	}
	f := (&report{consume: c}).file()
	text := f.markdown(head{plan: quickPlan, started: time.Now()}, []string{"consume"}, "")
	if !strings.Contains(text, "| duequeue string 128 | 1.0k |") || strings.Contains(text, bullConcurrent+" |") {
		t.Errorf("%s", text)
	}
	now, err := recorded.Figures(text, consumeHeading, measuredColumn)
	if err != nil || now["prefetch 128, string ÷ bare take script"] != 1 {
		t.Errorf("ratios %v, %v", now, err)
	}
}
