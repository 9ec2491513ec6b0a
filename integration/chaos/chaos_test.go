package chaos

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

var (
	only    = flag.String("rows", "", "rows to run, by comma; all for all")
	seed    = flag.Uint64("seed", 0, "of everything that is drawn by lot; 0 draws one")
	results = flag.String("results", "", "run other consumers under the same faults too, and write what came of all to this file")
)

// Who consumes.
const us = "duequeue"

var peers = []string{"redisson", "asynq", "blpop"}

// sampled is how many rows the short form runs.
const sampled = 3

// TestRows runs rows of the table: all of them in the long form or where a page is written,
// otherwise three, in turn by the seed.
func TestRows(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64N(1e9) + 1
	}
	t.Logf("report: seed %d", *seed)
	p := &page{began: time.Now(), load: lab.LoadAverage(), results: map[string]*result{}}
	h := &harness{ledger: lab.StartRedis(t).Addr(), shared: t.TempDir()}
	rows := choose(t)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { p.add(h.play(t, r, us)) })
		for _, who := range peers {
			if *results != "" && r.peers && who != "asynq" {
				t.Run(r.name+"/"+who, func(t *testing.T) { p.add(h.play(t, r, who)) })
			}
		}
	}
	// asynq needs minutes to come back, in which it mostly waits.
	t.Run("asynq", func(t *testing.T) {
		for _, r := range rows {
			if *results != "" && r.peers {
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					p.add(h.play(t, r, "asynq"))
				})
			}
		}
	})
	if *results != "" {
		must(t, os.WriteFile(*results, []byte(p.markdown(rows)), 0o644))
	}
}

// choose finds the rows to run.
func choose(t *testing.T) (out []row) {
	t.Helper()
	all := table()
	switch {
	case *only == "all" || *only == "" && (lab.LongForm() || *results != ""):
		return all
	case *only == "":
		for i := range sampled {
			out = append(out, all[(*seed*sampled+uint64(i))%uint64(len(all))])
		}
		return out
	}
	for name := range strings.SplitSeq(*only, ",") {
		i := slices.IndexFunc(all, func(r row) bool { return r.name == name })
		if i < 0 {
			t.Fatalf("no row called %q", name)
		}
		out = append(out, all[i])
	}
	return out
}

// result is what came of a row.
type result struct {
	row     row
	who     string
	account *account
	failed  bool
}

// harness is what all rows share.
type harness struct {
	ledger string // host:port
	shared string // a directory
}

// play is the course of every row: everything runs unharmed, faults strike, producers end, and
// everything that was accepted must be handled.
func (h *harness) play(t *testing.T, r row, who string) (out *result) {
	if r.every == 0 {
		r.every = 20 * time.Millisecond
	}
	if r.prepare == nil {
		r.prepare = func(s *stage) { s.serve() }
	}
	if r.cast == nil {
		r.cast = usualCast
	}
	if who != us {
		r.every = max(r.every, 40*time.Millisecond)
	}
	key := r.name + "-" + who
	s := &stage{
		tb: t, ctx: t.Context(), row: &r, who: who, long: lab.LongForm(), shared: h.shared, seed: *seed,
		random: rand.New(rand.NewPCG(*seed, hash(key))), book: openLedger(h.ledger, key, "harness"),
		tally: newTally(), fleet: &fleet{tb: t, dir: t.TempDir()},
	}
	if r.revives {
		s.fleet.died = s.crashed
	}
	out = &result{row: r, who: who, failed: true}
	t.Cleanup(s.book.close)
	r.prepare(s)
	t.Cleanup(s.fleet.kill) // before the servers end
	r.cast(s)
	s.awaitRunning()
	since := s.now()
	s.sleep(calm)
	r.faults(s)
	s.sleep(calm)
	s.fleet.end(producers, javaProducers)
	dead := s.drain()
	s.fleet.end(consumers, transferrers)
	s.look(nil)
	out.account = s.tally.settle(s.strikes, func(id string) bool { return isIn(dead, id) }, since)
	for _, problem := range s.problems(out.account) {
		t.Errorf("seed %d: %s", *seed, problem)
	}
	if out.failed = t.Failed(); out.failed {
		s.tell(out.account)
	}
	t.Logf("report: seed %d: %s: %s", *seed, who, out.account)
	return out
}

// problems judges the account.
func (s *stage) problems(a *account) (out []string) {
	wrong := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	effects := map[string]int{}
	for _, k := range s.strikes {
		effects[k.what] += k.effects
		if k.idle {
			effects[k.what]++
		}
	}
	for what, n := range effects {
		wrong(n == 0, "%s had no effect", what)
	}
	wrong(len(effects) == 0, "no fault struck")
	wrong(a.accepted == 0, "nothing was accepted")
	deaths := s.fleet.ownDeaths()
	wrong(len(deaths) > 0, "%d processes ended by themselves: %s", len(deaths), sample(deaths))
	if s.who != us {
		return out
	}
	wrong(len(a.lost) > 0 && s.row.losses == "", "%d lost: %s", len(a.lost), sample(a.lost))
	buried := 0
	for _, id := range a.dead {
		if slices.ContainsFunc(s.tally.messages[id].starts, func(h handling) bool { return h.died > 1 }) {
			buried++ // it was taken for a killer: two processes had died with it, and a third one did
		}
	}
	wrong(len(a.dead) > buried, "%d in the dead store: %s", len(a.dead), sample(a.dead))
	wrong(len(a.refusals) > 0, "%d were handled though their offer said that nothing was added: %s", len(a.refusals), sample(a.refusals))
	wrong(len(s.tally.strange) > 0, "%d were handled that nobody offered: %s", len(s.tally.strange), sample(s.tally.strange))
	wrong(len(a.unreached) > 0, "%d were handled more often than faults reached them: %s", len(a.unreached), sample(a.unreached))
	if s.row.clocks == "" {
		allowed := max(s.row.recovery, limit) + a.ordinary
		wrong(len(a.early) > 0, "%d began early: %s", len(a.early), sample(a.early))
		wrong(a.recovery > allowed, "recovery took %v, more than %v (message %s)", a.recovery, allowed, a.slowest)
	}
	if s.row.judge != nil {
		out = append(out, s.row.judge(s, a)...)
	}
	return out
}

// tell logs what the ledger says about the messages in question.
func (s *stage) tell(a *account) {
	const most = 10
	for _, ids := range [][]string{a.lost, a.dead, a.refusals, a.unreached, {a.slowest}} {
		for _, id := range ids[:min(most, len(ids))] {
			if m := s.tally.messages[id]; m != nil {
				s.tb.Logf("%s: offered %d accepted %d due %d started %v finished %v", id, m.offered, m.accepted, m.due, m.starts, m.finishes)
			}
		}
	}
	for _, k := range s.strikes {
		s.tb.Logf("%s on %v from %d to %d: %d effects", k.what, k.procs, k.at, k.healed, k.effects)
	}
}

// String is a cell of the page.
func (a *account) String() string {
	return fmt.Sprintf("%d · %s · %s · %d · %.1f s", a.accepted, bold(len(a.lost)), bold(len(a.early)), a.doubled, a.recovery.Seconds())
}

func bold(n int) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("**%d**", n)
}
