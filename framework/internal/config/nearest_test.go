package config

import (
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	known := []string{"lease", "block", "sweep"}
	for word, want := range map[string]string{
		"laese": "lease", "leases": "lease", "Lease": "lease", "blok": "block", "x": "", "password": "",
	} {
		if got := didYouMean(word, known); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("didYouMean(%q) = %q, want %q", word, got, want)
		}
	}
}
