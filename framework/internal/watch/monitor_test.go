package watch

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

var (
	monitorHead = regexp.MustCompile(`^\+[0-9.]+ \[\d+ ([^\]]+)\] `)
	monitorMs   = regexp.MustCompile(`"1[78]\d{11}"`)
	monitorDue  = regexp.MustCompile(`000(1[78]\d{11})`)
	monitorStep = regexp.MustCompile(`"5000" "\d+" "10000"`) // how many elements between two looks at the clock: less on a slow server
	monitorMade = regexp.MustCompile(`^(client )?"(hello|client|select|script|auth|ping|info)"`)
)

// normalise drops times, addresses and what connections say when they are made.
func normalise(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		from := "client"
		if m := monitorHead.FindStringSubmatch(line); m != nil && m[1] == "lua" {
			from = "  lua"
		}
		line = monitorHead.ReplaceAllString(line, "")
		// The look at left-over due records happens now and then; the subscription has a connection
		// of its own.
		if monitorMade.MatchString(line) || strings.HasPrefix(line, `"HLEN"`) || strings.HasPrefix(line, `"subscribe"`) || strings.HasPrefix(line, `"pubsub"`) {
			continue
		}
		line = strings.ReplaceAll(line, delayed.OfferScripts()[0].SHA(), "<offer>")
		line = strings.ReplaceAll(line, delayed.TransferScript(false).SHA(), "<transfer>")
		line = monitorMs.ReplaceAllString(line, `"<ms>"`)
		line = monitorDue.ReplaceAllString(line, "<ms>")
		line = monitorStep.ReplaceAllString(line, `"5000" "<step>" "10000"`)
		fmt.Fprintf(&b, "%s %s\n", from, line)
	}
	return b.String()
}

// once leaves out calls that repeat an earlier one word for word: on a busy machine the
// watcher asks early, finds nothing due and asks again.
func once(transcript string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for call := range strings.SplitSeq(transcript, "\nclient ") {
		call = strings.TrimSuffix(strings.TrimPrefix(call, "client "), "\n")
		if !seen[call] {
			seen[call] = true
			b.WriteString("client " + call + "\n")
		}
	}
	return b.String()
}

// readGolden returns a file of testdata, written from got with -update.
func readGolden(t *testing.T, name, got string) string {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return string(queuetest.Must[[]byte](t)(os.ReadFile(path)))
}
