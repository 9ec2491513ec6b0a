package main

import (
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out, "embedded", 1000); err != nil {
		t.Fatal(err)
	}
	const want = `message 13: queue CAMPAIGN_REMINDER: offer: the delay is negative (-1s)
999 of 1000 offered
1 failed; the others are in
pending: 999
the campaign is called off: 999 taken back
`
	if !strings.HasSuffix(out.String(), want[strings.Index(want, "999"):]) || !strings.Contains(out.String(), "message 13: queue CAMPAIGN_REMINDER: offer: the delay is negative (-1s)\n") {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
