package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Parts run in one order, however they are asked for.
func TestChoose(t *testing.T) {
	for _, tt := range []struct{ list, want string }{
		{"delayed", "burst pending processes bulk cancel"},
		{"engine,delayed", "consume lateness offers idle burst pending processes bulk cancel"},
		{"cancel,idle,burst,burst", "idle burst cancel"},
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
		need := 0
		for _, part := range delayedParts {
			need = max(need, p.captured(part))
		}
		var names []string
		for _, u := range p.burstCases() {
			if u.rounds < 1 || u.n > need {
				t.Errorf("%s plan, %s: %d rounds of %d messages, %d are there", p.name, u.name(), u.rounds, u.n, need)
			}
			names = append(names, u.name())
		}
		slices.Sort(names)
		if len(slices.Compact(names)) != len(p.burstCases()) {
			t.Errorf("%s plan: two cases have one name: %q", p.name, names)
		}
	}
}
