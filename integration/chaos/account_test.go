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

// seedOf is the seed in DUEQUEUE_CHAOS_SEED, or one drawn by lot.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("DUEQUEUE_CHAOS_SEED")
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
	kill := &strike{what: "kill", at: 2000, healed: 2000, procs: []string{"c1"}, held: 36}
	down := &strike{what: "down", at: 2000, healed: 3000, outage: true, held: 10}
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
			strikes: []*strike{kill}, want: "handled 1, duplicated 1, redelivered 1, bound 36, recovery 950ms",
		},
		{
			name:    "handled again for no reason",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c3 1\n2000 f m c3\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, duplicated 1, redelivered 1, bound 36, unexplained [m], recovery 950ms",
		},
		{
			name:    "killed in hand",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1\n5000 s m c2 1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 36, hit 1, recovery 3.01s",
		},
		{
			name:    "killed in hand, with its batch",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1/7/0\n5000 s m c2 1/3/1\n5010 f m c2",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 36, hit 1, together 2, struck 1, recovery 3.01s",
		},
		{
			name:    "the batch of another process is not hit, nor is a message that is alone",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1990 s m c3 1/7/0\n1991 s m c1 1/1/0\n2010 f m c3",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 36, hit 1, together 1, recovery 10ms",
		},
		{
			name:    "a batch that was over, or had failed long before, is not hit",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n1060 s m c1 1/7/0\n1900 s m c1 2/7/0\n1910 f m c1",
			strikes: []*strike{kill}, want: "handled 1, redelivered 1, bound 36, together 2, recovery 860ms",
		},
		{
			name:    "an outage excuses until it is healed",
			ledger:  "1000 o m p 50\n1001 a m p 1050\n3100 s m c2 1\n3110 f m c2",
			strikes: []*strike{down}, want: "handled 1, bound 10, hit 1, recovery 110ms",
		},
		{
			name:    "what is due after the outage is not excused",
			ledger:  "1000 o m p 50\n1001 a m p 4000\n6000 s m c2 1\n6010 f m c2",
			strikes: []*strike{down}, want: "handled 1, bound 10, recovery 2.01s",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := tallyOf(t, tc.ledger).settle(tc.strikes, tc.where, 0, false, func(string) bool { return false })
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
	strikes := []*strike{{at: 2000, healed: 2000, procs: []string{"c1"}, held: 36}, {at: 5100, healed: 5100, procs: []string{"c3"}, held: 36}}
	for deaths, judged := range map[int]bool{1: true, 2: false} {
		ledger := fmt.Sprintf("1000 o m p 50\n1001 a m p 1050\n1990 s m c1 1/1/0\n8200 s m c2 1/1/%d\n8210 f m c2", deaths)
		a := tallyOf(t, ledger).settle(strikes, nil, 0, true, func(string) bool { return false })
		if (a.recovery == 6210*time.Millisecond) != judged || a.waited == a.recovery {
			t.Errorf("%d deaths: recovery %v, waited %v", deaths, a.recovery, a.waited)
		}
	}
}

// brief shows what is not zero, but for what each message has.
func brief(a *account) string {
	var parts []string
	for _, f := range []struct {
		name string
		n    int
	}{
		{"unknown", a.unknown}, {"unknownLanded", a.unknownLanded}, {"refused", a.refused}, {"handled", a.handled}, {"duplicated", a.duplicated}, {"redelivered", a.redelivered}, {"early", a.early}, {"bound", a.bound}, {"hit", a.hit}, {"together", a.together}, {"struck", a.struck},
	} {
		if f.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", f.name, f.n))
		}
	}
	for name, ids := range map[string][]string{"lost": a.lost, "left": a.left, "dead": a.dead, "ghosts": a.ghosts, "unexplained": a.unexplained} {
		if len(ids) > 0 {
			parts = append(parts, fmt.Sprintf("%s %v", name, ids))
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
		if r.title == "" || r.faults == nil || slices.Contains(names, r.name) {
			t.Errorf("row %q: title %q, faults given: %v", r.name, r.title, r.faults != nil)
		}
		names = append(names, r.name)
	}
	if _, err := choose("storm,no-such-row"); err == nil {
		t.Error("a row that does not exist was found")
	}
}
