package lease

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// The probe at the start tries each command that the scripts of a serving process run,
// those that look for a message among them, and no other: else a user would be asked for more than "duequeue acl" grants.
func TestProbeTriesWhatTheScriptsRun(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../../connect/lua/probe.lua")
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	for _, m := range regexp.MustCompile(`try\('([A-Z]+)'`).FindAllSubmatch(src, -1) {
		tried = append(tried, string(m[1]))
	}
	var run []string
	for _, s := range slices.Concat(delayed.OfferScripts(), delayed.ServeScripts(), connect.Scripts(), Scripts(), FindScripts()) {
		run = append(run, s.Commands()...)
	}
	slices.Sort(tried)
	slices.Sort(run)
	tried, run = slices.Compact(tried), slices.Compact(run)
	for _, c := range tried {
		if !slices.Contains(run, c) {
			t.Errorf("%s is tried, and no script runs it", c)
		}
	}
	for _, c := range run {
		if c != "PUBLISH" && !slices.Contains(tried, c) { // that one has a probe of its own
			t.Errorf("%s is run and not tried", c)
		}
	}
}
