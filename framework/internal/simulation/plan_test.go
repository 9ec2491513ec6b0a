//go:build simulation

package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// The fleet of a run.
const (
	processes = 4
	runTime   = time.Hour        // of faults and offers; then all heals
	faultGap  = 75 * time.Second // between faults, on average
	offerGap  = 4 * time.Second  // between offers, on average
	longest   = 10 * time.Minute // delay
)

// plan is what a seed means: all that happens from outside, and when. A finding is shrunk
// by leaving steps out.
type plan struct {
	seed  uint64
	lasts time.Duration // then all heals
	steps []step
}

// step is one event of a plan.
type step struct {
	at   time.Duration // since the start
	what string        // an action, see actions
	a, b int64         // drawn for it: which, how long, how many
}

func (s step) String() string {
	return fmt.Sprintf("%v %s %d %d", s.at.Round(time.Millisecond), s.what, s.a, s.b)
}

// newPlan draws a plan.
func newPlan(seed uint64, lasts time.Duration) plan {
	r := rand.New(rand.NewPCG(seed, 1))
	p := plan{seed: seed, lasts: lasts}
	draw := func(names []weighted, gap time.Duration) {
		total := 0
		for _, n := range names {
			total += n.weight
		}
		for at := time.Duration(0); ; {
			at += time.Duration(r.ExpFloat64() * float64(gap))
			if at >= lasts {
				return
			}
			k := r.IntN(total)
			for _, n := range names {
				if k -= n.weight; k < 0 {
					p.steps = append(p.steps, step{at, n.name, r.Int64N(1 << 40), r.Int64N(1 << 40)})
					break
				}
			}
		}
	}
	draw(offers, offerGap)
	draw(faults, faultGap)
	slices.SortStableFunc(p.steps, func(a, b step) int { return int(a.at - b.at) })
	return p
}

type weighted struct {
	name   string
	weight int
}

// offers are what producers do, by weight.
var offers = []weighted{
	{"offer", 60},
	{"offer at once", 6},
	{"offer many", 6},
	{"offer with a key", 8},
	{"cancel", 6},
	{"reschedule", 6},
	{"Java offers", 3},
	{"Java transfers", 6},
	{"Java takes", 5},
}

// faults are what befalls the fleet, by weight.
var faults = []weighted{
	{"kill a process", 8},
	{"kill a process with much in hand", 3},
	{"deploy", 4},
	{"hold a process", 6},
	{"lose replies", 6},
	{"late replies", 3},
	{"cut connections", 4},
	{"server away", 3},
	{"roll back", 4},
	{"roll back amid a burst", 4},
	{"clock forward", 1},
	{"clock back", 1},
	{"clock back and a death", 2},
	{"delete keys", 5},
	{"forget scripts", 1},
	{"many die", 2},
	{"pause a queue", 2},
	{"pause the fleet", 2},
	{"limit the fleet", 1},
	{"redrive", 4},
	{"burst", 3},
}

// without returns the plan without the steps from i up to j.
func (p plan) without(i, j int) plan {
	return plan{p.seed, p.lasts, slices.Concat(p.steps[:i], p.steps[j:])}
}

func (p plan) String() string {
	lines := make([]string, len(p.steps))
	for i, s := range p.steps {
		lines[i] = s.String()
	}
	return strings.Join(lines, "\n  ")
}
