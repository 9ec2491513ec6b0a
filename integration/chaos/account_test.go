package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// seedOf is the seed in DUEQUEUE_TEST_CHAOS_SEED, or one drawn by lot.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("DUEQUEUE_TEST_CHAOS_SEED")
	if text == "" {
		return rand.Uint64N(1e9) + 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return seed
}

// TestAccount: an account that cannot fail would prove nothing.
func TestAccount(t *testing.T) {
	kill := &strike{what: "kill", at: 2000, healed: 2000, procs: []string{"c1"}, repeats: true}
	down := &strike{what: "down", at: 2000, healed: 3000, outage: true, repeats: true}
	for _, tc := range []struct {
		name    string
		ledger  string // "ms kind id process rest", by line
		strikes []*strike
		where   places
		want    string
	}{
		{
			name:   "handled",
			ledger: "1000 o m p 50\n1001 a m p 1050\n1060 s m c1 1\n1070 f m c1",
			want:   "handled 1, recovery 20ms",
		},
		{
			name:   "lost: accepted, and nowhere",
			ledger: "1000 o m p 50\n1001 a m p 1050\n1060 s m c1 1",
			want:   "lost [m]",
		},
		{
			name:   "left in Redis",
			ledger: "1000 o m p 50\n1001 a m p 1050", where: places{"m": "chaos"},
			want: "left [m in chaos]",
		},
		{
			name:   "in the dead store",
			ledger: "1000 o m p 50\n1001 a m p 1050", where: places{"m": placeDead},
			want: "dead [m]",
		},
		{
			name:   "outcome unknown, not handled: nobody was told that it would be",
			ledger: "1000 o m p 50",
			want:   "unknown 1",
		},
		{
			name:   "outcome unknown, handled",
			ledger: "1000 o m p 50\n1001 u m p timeout\n1060 s m c1 1\n1070 f m c1",
			want:   "unknown 1, unknownLanded 1, handled 1",
		},
		{
			name:   "refused, and handled all the same",
			ledger: "1000 o m p 50\n1001 r m p no\n1060 s m c1 1\n1070 f m c1",
			want:   "refused 1, handled 1, ghosts [m]",
		},
		{
			name:   "early",
			ledger: "1000 o m p 50\n1001 a m p 1050\n1030 s m c1 1\n1070 f m c1",
			want:   "handled 1, early 1, recovery 20ms",
		},
		{
			name:    "a kill explains the second time, and recovery counts from it",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n2000 f m c1\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, duplicated 1, redelivered 1, bound 1, recovery 950ms",
		},
		{
			name:    "handled again for no reason",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c3 1\n2000 f m c3\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, duplicated 1, redelivered 1, unexplained [m], recovery 950ms",
		},
		{
			name:    "killed in hand",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 1, hit 1, recovery 3.01s",
		},
		{
			name:    "killed in hand, with its batch",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1/7/0\n5000 s m c2 1/3/1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 1, hit 1, together 2, struck 1, recovery 3.01s",
		},
		{
			name:    "the batch of another process is not hit, nor is a message that is alone",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c3 1/7/0\n1991 s m c1 1/1/0\n2010 f m c3",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 1, hit 1, together 1, recovery 10ms",
		},
		{
			name:    "a batch that was over, or had failed, is not hit",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1060 s m c1 1/7/0\n1100 x m c1 spoiled\n1900 s m c1 2/7/0\n1910 f m c1",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 1, together 2, recovery 860ms",
		},
		{
			name:    "an outage excuses until it is healed",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n3100 s m c2 1\n3110 f m c2",
			strikes: []*strike{down}, want: "handled 1, hit 1, recovery 110ms",
		},
		{
			name:    "what is due after the outage is not excused",
			ledger:  "1000 o m p 50\n1001 a m p 4000\n6000 s m c2 1\n6010 f m c2",
			strikes: []*strike{down}, want: "handled 1, recovery 2.01s",
		},
		{
			name:    "handled so long before the kill that the ack was sent",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1700 s m c1 1\n1790 f m c1\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, duplicated 1, redelivered 1, unexplained [m], recovery 740ms",
		},
		{
			name:    "begun after the kill by another process",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n2010 s m c2 1\n2020 f m c2\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, duplicated 1, redelivered 1, unexplained [m], recovery 970ms",
		},
		{
			name:    "one kill explains one repetition, not two",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n2000 f m c1\n5000 s m c2 1\n5010 f m c2\n5100 s m c2 1\n5110 f m c2",
			strikes: []*strike{kill}, want: "handled 1, duplicated 2, redelivered 1, bound 1, unexplained [m], recovery 950ms",
		},
		{
			name:    "two faults explain two, but not before they struck",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n2000 f m c1\n5000 s m c2 1\n5010 f m c2\n5100 s m c3 1\n5110 f m c3",
			strikes: []*strike{kill, {at: 5011, healed: 5011, procs: []string{"c2"}, repeats: true}}, want: "handled 1, duplicated 2, redelivered 1, bound 2, recovery 950ms",
		},
		{
			name:    "the second fault came too late",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n2000 f m c1\n5000 s m c2 1\n5010 f m c2\n5100 s m c3 1\n5110 f m c3",
			strikes: []*strike{kill, {at: 5120, healed: 5120, procs: []string{"c3"}, repeats: true}}, want: "handled 1, duplicated 2, redelivered 1, bound 2, unexplained [m], recovery 950ms",
		},
		{
			name:    "a fault of the server reaches what is in hand on any process",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c3 1\n2010 f m c3\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{down}, want: "handled 1, duplicated 1, redelivered 1, bound 1, hit 1",
		},
		{
			name:    "a fault of the server does not reach what was over, nor what began after it",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1060 s m c3 1\n1070 f m c3\n3001 s m c2 1\n3010 f m c2",
			strikes: []*strike{down}, want: "handled 1, duplicated 1, redelivered 1, unexplained [m], recovery 20ms",
		},
		{
			name:    "a server that falls back forgets what was done since",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1060 s m c3 1\n1070 f m c3\n3100 s m c2 1\n3110 f m c2",
			strikes: []*strike{{at: 2000, from: 1200, healed: 3000, repeats: true}}, want: "handled 1, duplicated 1, redelivered 1, bound 1, recovery 20ms",
		},
		{
			name:    "while Redis is away acks stay unsent for longer",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n2010 f m c1\n6000 s m c2 1\n6010 f m c2",
			strikes: []*strike{{at: 1900, healed: 2400, procs: []string{"c1"}, repeats: true}, {at: 3000, healed: 3000, procs: []string{"c1"}, repeats: true}},
			want:    "handled 1, duplicated 1, redelivered 1, bound 2, recovery 960ms",
		},
		{
			name:    "a clock that is behind hinders no ack",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n2010 f m c1\n6000 s m c2 1\n6010 f m c2",
			strikes: []*strike{{at: 1900, from: 2390, healed: 2400, repeats: true, late: true}, {at: 3000, healed: 3000, procs: []string{"c1"}, repeats: true}},
			want:    "handled 1, duplicated 1, redelivered 1, unexplained [m], recovery 960ms",
		},
		{
			name:    "a fault that repeats nothing explains nothing",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n2010 f m c1\n3000 s m c2 1\n3010 f m c2",
			strikes: []*strike{{at: 1995, healed: 2500}}, want: "handled 1, duplicated 1, redelivered 1, unexplained [m], recovery 960ms",
		},
		{
			name:   "what fails on purpose recovers twice, less its backoff",
			ledger: "1000 o m p 50\n1001 a m p 1050\n1060 s m c1 1\n1070 x m c1 purpose\n2060 s m c1 2\n2070 f m c1",
			want:   "handled 1, redelivered 1, recovery 800ms",
		},
		{
			name:   "a failure of another kind is no reason to be late",
			ledger: "1000 o m p 50\n1001 a m p 1050\n1060 s m c1 1\n1070 x m c1 stopped\n2060 s m c1 2\n2070 f m c1",
			want:   "handled 1, redelivered 1, recovery 1.02s",
		},
		{
			name:    "what had failed long before the kill was not in hand",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1060 s m c1 1\n1070 x m c1 purpose\n5000 s m c2 2\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, recovery 3.74s",
		},
		{
			name:    "a power failure takes what was accepted shortly before",
			ledger:  "1900 o m p 50\n1901 a m p 1950\n1000 o n p 50\n1001 a n p 1050",
			strikes: []*strike{{at: 2000, from: 1500, healed: 3000, loses: true}}, want: "lost [n], excused [m]",
		},
		{
			name:    "what was offered after it is not excused",
			ledger:  "3001 o m p 50\n3002 a m p 3050",
			strikes: []*strike{{at: 2000, from: 1500, healed: 3000, loses: true}}, want: "lost [m]",
		},
		{
			name:    "a clock that is behind excuses what waits, until it is right",
			ledger:  "1000 o m p 2000\n1001 a m p 3000\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{{at: 2000, healed: 4500, late: true}}, want: "handled 1, hit 1, recovery 510ms",
		},
		{
			name:    "a clock that is behind is no excuse for what somebody had begun",
			ledger:  "1000 o m p 900\n1001 a m p 1900\n1905 s m c1 1\n8000 s m c2 1\n8010 f m c2",
			strikes: []*strike{{at: 1000, healed: 7500, late: true}, kill}, want: "handled 1, redelivered 1, bound 1, hit 1, recovery 6.01s",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := tallyOf(t, tc.ledger).settle(tc.strikes, tc.where, 0, false)
			if got := brief(a); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// tallyOf adds up a ledger of lines.
func tallyOf(t *testing.T, ledger string) *tally {
	t.Helper()
	total := newTally()
	for line := range strings.SplitSeq(ledger, "\n") {
		ms, text, _ := strings.Cut(line, " ")
		for strings.Count(text, " ") < 3 {
			text += " "
		}
		e, err := parseEntry(ms+"-0", text)
		if err != nil {
			t.Fatal(err)
		}
		total.add(e)
	}
	return total
}

// TestHitUnseen: a row of many faults judges the recovery of those messages with which
// no more processes died than the ledger saw begin them.
func TestHitUnseen(t *testing.T) {
	strikes := []*strike{{at: 2000, healed: 2000, procs: []string{"c1"}, repeats: true}, {at: 5100, healed: 5100, procs: []string{"c3"}, repeats: true}}
	for deaths, judged := range map[int]bool{1: true, 2: false} {
		ledger := fmt.Sprintf("1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1/1/0\n8200 s m c2 1/1/%d\n8210 f m c2", deaths)
		a := tallyOf(t, ledger).settle(strikes, nil, 0, true)
		if (a.recovery == 6210*time.Millisecond) != judged || a.waited == a.recovery {
			t.Errorf("%d deaths: recovery %v, waited %v", deaths, a.recovery, a.waited)
		}
	}
}

// TestSuspects: a message with which two processes died waits for its turn to run alone, and
// is judged by that.
func TestSuspects(t *testing.T) {
	strikes := []*strike{{at: 2000, healed: 2000, procs: []string{"c1"}, repeats: true}, {at: 5100, healed: 5100, procs: []string{"c3"}, repeats: true}}
	a := tallyOf(t, "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1/1/0\n5090 s m c3 1/1/1\n12000 s m c2 1/1/2\n12010 f m c2").settle(strikes, nil, 0, false)
	if a.recovery != 0 || a.alone != 6910*time.Millisecond || a.lonely != "m" {
		t.Errorf("recovery %v, of suspects %v (%s); want none, and 6.91s of m", a.recovery, a.alone, a.lonely)
	}
}

// TestEqual: equal messages are told apart by their IDs; where those are not kept, their
// number counts.
func TestEqual(t *testing.T) {
	const two = "1000 o m p 50 =e\n1001 a m p 1050 A\n1002 o n p 50 =e\n1003 a n p 1052 B\n"
	for _, tc := range []struct {
		name, ledger string
		idsLost      bool
		over         int
		want         string
	}{
		{name: "each by its ID", ledger: two + "1060 s =e/A c1 1\n1070 f =e/A c1\n1061 s =e/B c1 1\n1080 f =e/B c1", want: "handled 2, recovery 28ms"},
		{name: "handled before its offer was told", ledger: "1000 o m p 0 =e\n1001 s =e/A c1 1\n1002 f =e/A c1\n1003 a m p 1000 A", want: "handled 1"},
		{name: "one twice does not make up for the other", ledger: two + "1060 s =e/A c1 1\n1070 f =e/A c1\n1061 s =e/A c1 1\n1080 f =e/A c1", want: "handled 1, duplicated 1, redelivered 1, lost [n], unexplained [m], recovery 20ms"},
		{name: "an ID that no offer was told", ledger: two + "1060 s =e/A c1 1\n1070 f =e/A c1\n1061 s =e/C c1 1\n1080 f =e/C c1", over: 1, want: "handled 1, lost [n], recovery 20ms"},
		{name: "it is that of an offer whose outcome is unknown", ledger: "1000 o m p 50 =e\n1060 s =e/A c1 1\n1070 f =e/A c1", want: "unknown 1, unknownLanded 1, handled 1"},
		{name: "it is that of a refused offer", ledger: "1000 o m p 50 =e\n1001 r m p no\n1060 s =e/A c1 1\n1070 f =e/A c1", want: "refused 1, handled 1, ghosts [m]"},
		{name: "where IDs are not kept it is any", ledger: two + "1060 s =e/A c1 1\n1070 f =e/A c1\n1061 s =e/C c1 1\n1080 f =e/C c1", idsLost: true, want: "handled 2"},
		{name: "fewer than were accepted", ledger: two + "1060 s =e/C c1 1\n1070 f =e/C c1", idsLost: true, want: "handled 1, lost [n]"},
		{name: "Java tells no ID at all", ledger: two + "1060 s =e j 1\n1061 s =e j 1\n1070 f =e j\n1071 f =e j", idsLost: true, want: "handled 2"},
		{name: "one came under the ID of another", ledger: two + "1040 s =e/B c1 1\n1049 f =e/B c1\n1060 s =e/B c1 1\n1070 f =e/B c1", idsLost: true, want: "handled 2, redelivered 1"},
		{name: "more than there were", ledger: two + "1040 s =e/B c1 1\n1049 f =e/B c1\n1060 s =e/A c1 1\n1070 f =e/A c1\n1080 s =e/B c1 1\n1090 f =e/B c1", idsLost: true, over: 1, want: "handled 2, redelivered 1"},
		{name: "twice, beside a refused one", ledger: "1000 o m p 50 =e\n1001 a m p 1050 A\n1002 o n p 50 =e\n1003 r n p no\n1060 s =e/A c1 1\n1070 f =e/A c1\n1080 s =e/C c1 1\n1090 f =e/C c1", idsLost: true, over: 1, want: "refused 1, handled 1"},
		{name: "other groups do not count", ledger: two + "1060 s =f/C c1 1\n1070 f =f/C c1", idsLost: true, over: 1, want: "lost [m n]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			total := tallyOf(t, tc.ledger)
			open := len(total.open(tc.idsLost))
			over := total.pair(tc.idsLost)
			a := total.settle(nil, nil, 0, false)
			if got := brief(a); got != tc.want || over != tc.over {
				t.Errorf("got  %s, %d over\nwant %s, %d over", got, over, tc.want, tc.over)
			}
			if open != len(a.lost) {
				t.Errorf("%d were open, %d lost", open, len(a.lost))
			}
		})
	}
}

// brief shows what is not zero, but for what each message has.
func brief(a *account) string {
	var parts []string
	for _, f := range []struct {
		name string
		n    int
	}{
		{"unknown", a.unknown}, {"unknownLanded", a.unknownLanded}, {"refused", a.refused}, {"handled", a.handled}, {"duplicated", a.duplicated}, {"redelivered", a.redelivered}, {"early", len(a.early)}, {"bound", a.bound}, {"hit", a.hit}, {"together", a.together}, {"struck", a.struck},
	} {
		if f.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", f.name, f.n))
		}
	}
	for _, f := range []struct {
		name string
		ids  []string
	}{{"lost", a.lost}, {"excused", a.excused}, {"left", a.left}, {"dead", a.dead}, {"ghosts", a.ghosts}, {"unexplained", a.unexplained}} {
		if len(f.ids) > 0 {
			parts = append(parts, fmt.Sprintf("%s %v", f.name, f.ids))
		}
	}
	if a.recovery > 0 {
		parts = append(parts, fmt.Sprintf("recovery %v", a.recovery))
	}
	return strings.Join(parts, ", ")
}

// TestLongestGap: the order in which handlers finish does not matter.
func TestLongestGap(t *testing.T) {
	if got := longestGap([]int64{900, 100, 150, 300}); got != 600*time.Millisecond {
		t.Errorf("gap %v, want 600ms", got)
	}
	if got := longestGap(nil); got != 0 {
		t.Errorf("gap of nothing: %v", got)
	}
}

// TestRows: names are unique, and each row says what it does.
func TestRows(t *testing.T) {
	var names []string
	for _, r := range allRows() {
		if whatFails[r.name] == "" {
			t.Errorf("row %q does not say what would make it fail", r.name)
		}
		if r.title == "" || r.faults == nil || slices.Contains(names, r.name) {
			t.Errorf("row %q: title %q, faults given: %v", r.name, r.title, r.faults != nil)
		}
		names = append(names, r.name)
	}
	for name := range whatFails {
		if !slices.Contains(names, name) {
			t.Errorf("there is no row %q", name)
		}
	}
	if _, err := choose("storm,no-such-row"); err == nil {
		t.Error("a row that does not exist was found")
	}
}
