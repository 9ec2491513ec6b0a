package admin

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Each primary has its own settings: what is wrong with one of them is found, and named.
func TestPrimariesOfCluster(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	nodes := cluster.Nodes()
	examine := func() []Finding {
		t.Helper()
		found, err := checkServer(t.Context(), cluster.Client())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	found := examine()
	if got := text(found); got != "warning persistence 0 0\n" || !strings.HasPrefix(found[0].Message, "all 3 primaries: ") {
		t.Fatalf("what all have in common is told once: %s%v", got, found)
	}

	for _, n := range nodes[:2] {
		if err := n.Client().ConfigSet(t.Context(), "appendonly", "yes").Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := nodes[1].Client().ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err(); err != nil {
		t.Fatal(err)
	}
	found = examine()
	if got := text(found); got != "warning eviction 0 0\nwarning persistence 0 0\n" {
		t.Fatal(got)
	}
	for i, node := range []int{1, 2} {
		if !strings.HasPrefix(found[i].Message, nodes[node].Addr()+": ") {
			t.Errorf("%q names not %s alone", found[i].Message, nodes[node].Addr())
		}
	}
	for _, n := range nodes[:2] { // a server that writes its first file on disk does not stop
		if err := n.Client().ConfigSet(t.Context(), "appendonly", "no").Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// A primary that does not answer is an error that names it; the others are examined.
func TestPrimaryThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	cluster := lab.StartCluster(t)
	nodes := cluster.Nodes()
	if err := cluster.Client().Ping(t.Context()).Err(); err != nil { // the client knows all
		t.Fatal(err)
	}
	nodes[2].Kill()
	found, err := checkServer(t.Context(), cluster.Client())
	if err == nil || !strings.Contains(err.Error(), "node "+nodes[2].Addr()) {
		t.Errorf("err = %v, want one that names %s", err, nodes[2].Addr())
	}
	if got := text(found); !strings.Contains(got, "persistence") {
		t.Errorf("the other nodes: %q", got)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	skew := Finding{Check: "clock", Severity: SeverityWarning, Message: "differ by 2s", Advice: "NTP"}
	evict := Finding{Check: "eviction", Severity: SeverityError, Message: "allkeys-lru", Advice: "noeviction"}
	got := merge(map[string][]Finding{"b:1": {skew, evict}, "a:1": {evict}, "c:1": nil})
	want := []string{"b:1: differ by 2s", "a:1, b:1: allkeys-lru"}
	if len(got) != 2 || got[0].Message != want[0] || got[1].Message != want[1] {
		t.Errorf("%+v, want %q", got, want)
	}
}
