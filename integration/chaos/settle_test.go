package chaos

import (
	"fmt"
	"strings"
	"testing"
)

// TestAccount makes the accounts of ledgers with what the rows are about.
func TestAccount(t *testing.T) {
	t.Parallel()
	kill := &strike{what: "kill", at: 2000, healed: 2000, procs: []string{"a"}, repeats: true}
	outage := &strike{what: "Redis", at: 1500, healed: 5000, outage: true, repeats: true}
	hidden := &strike{what: "clock", at: 1500, healed: 9000, late: true, repeats: true}
	rollback := &strike{what: "failover", at: 9000, healed: 9500, from: 1200, outage: true, repeats: true}
	tests := []struct {
		name    string
		ledger  string // "ms kind id process rest", by semicolon
		strikes []*strike
		dead    string // id in the dead store
		want    string // see describe
	}{
		{name: "handled", ledger: "1000 o m p 500; 1001 a m p 1500; 1510 s m a 0; 1520 f m a", want: "ordinary 10ms"},
		{name: "lost", ledger: "1000 o m p 0; 1001 a m p 1000", want: "lost"},
		{name: "in the dead store", ledger: "1000 o m p 0; 1001 a m p 1000", dead: "m", want: "dead"},
		{name: "of unknown outcome, not lost", ledger: "1000 o m p 0; 1001 u m p timeout", want: "unknown"},
		{name: "refused, and handled", ledger: "1000 o m p 0; 1001 r m p full; 1010 s m a 0; 1011 f m a", want: "refused handled-all-the-same"},
		{name: "early", ledger: "1000 o m p 500; 1001 a m p 1500; 1490 s m a 0; 1520 f m a", want: "early"},
		{name: "a little early by another clock", ledger: "1000 o m p 500; 1001 a m p 1500; 1496 s m a 0; 1520 f m a", want: ""},
		{name: "nobody offered it", ledger: "1500 s m a 0", want: "unknown strange"},

		{
			name:   "back after a death",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1990 s m a 0; 5100 s m b 1; 5110 f m b", strikes: []*strike{kill},
			want: "recovery 3.1s",
		},
		{
			name:   "of a process that had not begun it",
			ledger: "1000 o m p 0; 1001 a m p 1000; 5100 s m b 1; 5110 f m b", strikes: []*strike{kill},
			want: "recovery 4.099s",
		},
		{
			name:   "a suspect waits for its turn",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1990 s m a 0; 95100 s m b 2; 95110 f m b", strikes: []*strike{kill},
			want: "",
		},
		{
			name:   "after a failure it waits for its retry",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1010 s m a 0; 1020 x m a; 95100 s m b 0; 95110 f m b",
			want:   "",
		},
		{
			name:   "an outage counts from its end",
			ledger: "1000 o m p 0; 1001 a m p 2000; 5100 s m b 0; 5110 f m b", strikes: []*strike{outage},
			want: "recovery 100ms",
		},
		{
			name:   "what is due waits for the right clock",
			ledger: "1000 o m p 0; 1001 a m p 2000; 9100 s m b 0; 9110 f m b", strikes: []*strike{hidden},
			want: "recovery 100ms",
		},
		{
			name:   "what was begun does not",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1990 s m a 0; 9100 s m b 1; 9110 f m b", strikes: []*strike{hidden, kill},
			want: "recovery 7.1s",
		},

		{
			name:   "again, though no fault reached it",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1010 s m a 0; 1011 f m a; 1500 s m b 0; 1510 f m b", strikes: []*strike{kill},
			want: "doubled unreached ordinary 9ms",
		},
		{
			name:   "again, its ack was unsent",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1990 s m a 0; 1999 f m a; 5100 s m b 1; 5110 f m b", strikes: []*strike{kill},
			want: "doubled ordinary 989ms",
		},
		{
			name:   "again, by a process that was not hit",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1990 s m b 0; 1999 f m b; 5100 s m c 1; 5110 f m c", strikes: []*strike{kill},
			want: "doubled unreached ordinary 989ms",
		},
		{
			name:   "one fault explains one repetition",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1990 s m a 0; 2100 f m a; 5100 s m b 1; 5110 f m b; 5200 s m b 1; 5210 f m b", strikes: []*strike{kill},
			want: "2×doubled unreached ordinary 989ms",
		},
		{
			name:   "again, after the server fell back",
			ledger: "1000 o m p 0; 1001 a m p 1000; 1190 s m a 0; 1300 f m a; 9600 s m b 0; 9610 f m b", strikes: []*strike{rollback},
			want: "doubled ordinary 189ms",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tally := newTally()
			for line := range strings.SplitSeq(tt.ledger, "; ") {
				at, text, _ := strings.Cut(line, " ")
				if strings.Count(text, " ") < 3 {
					text += " "
				}
				e, err := parseEntry(at+"-0", text)
				must(t, err)
				tally.add(e)
			}
			a := tally.settle(tt.strikes, func(id string) bool { return id == tt.dead }, 0)
			if got := describe(tally, a); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// describe tells what is remarkable about an account.
func describe(t *tally, a *account) string {
	var words []string
	tell := func(word string, n int) {
		if n == 1 {
			words = append(words, word)
		} else if n > 1 {
			words = append(words, fmt.Sprintf("%d×%s", n, word))
		}
	}
	tell("refused", a.refused)
	tell("unknown", a.unknown)
	tell("strange", len(t.strange))
	tell("lost", len(a.lost))
	tell("dead", len(a.dead))
	tell("handled-all-the-same", len(a.refusals))
	tell("early", len(a.early))
	tell("doubled", a.doubled)
	tell("unreached", len(a.unreached))
	if a.recovery > 0 {
		words = append(words, fmt.Sprintf("recovery %v", a.recovery))
	}
	if a.ordinary > 0 {
		words = append(words, fmt.Sprintf("ordinary %v", a.ordinary))
	}
	return strings.Join(words, " ")
}
