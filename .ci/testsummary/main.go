// Command testsummary reads the events of go test -json and prints what people
// want to see: one line per package, the output of what failed, every line that
// a test marked with "report:", and a count of what ran. A skipped test is
// named and fails the run, since nothing here is skipped in silence.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"
)

// event is one line of go test -json; see "go doc test2json".
type event struct {
	Action, Package, Test, Output, ImportPath string
	Elapsed                                   float64
}

type tally struct {
	out                     io.Writer
	log                     io.Writer
	output                  map[string][]string // by package and test, until the test passed
	passed, failed, skipped []string
	packages, ok            int
	reports                 []string
	perPackage              map[string]int
}

func main() {
	name := flag.String("name", "tests", "name of the stage")
	logPath := flag.String("log", "", "file that gets the whole output")
	appendPath := flag.String("append", "", "file to which the last line is appended")
	flag.Parse()

	log, err := os.Create(*logPath)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	t := &tally{out: os.Stdout, log: log, output: map[string][]string{}, perPackage: map[string]int{}}
	started := time.Now()
	t.read(os.Stdin)
	_ = log.Close()

	line := t.finish(*name, time.Since(started))
	fmt.Println(line)
	if err := appendLine(*appendPath, strings.Join(append([]string{line}, t.reports...), "\n    ")); err != nil {
		fmt.Fprintln(os.Stderr, "testsummary:", err)
		os.Exit(1)
	}
	if !t.good() {
		os.Exit(1)
	}
}

func (t *tally) read(r io.Reader) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(t.out, "%s", line) // not ours: the go command speaking
			} else {
				t.take(e)
			}
		}
		if err != nil {
			return
		}
	}
}

func (t *tally) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "build-output":
		fmt.Fprint(t.out, e.Output)
	case "output":
		fmt.Fprint(t.log, e.Output)
		t.output[key] = append(t.output[key], e.Output)
		if _, text, found := strings.Cut(e.Output, "report: "); found {
			t.reports = append(t.reports, strings.TrimSpace(text))
			fmt.Fprintf(t.out, "    %s\n", strings.TrimSpace(text))
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			t.endPackage(e)
		} else {
			t.endTest(e, key)
		}
	}
}

func (t *tally) endTest(e event, key string) {
	t.perPackage[e.Package]++
	switch e.Action {
	case "pass":
		t.passed = append(t.passed, key)
	case "skip":
		t.skipped = append(t.skipped, key)
	case "fail":
		t.failed = append(t.failed, key)
		t.dump(key)
	}
	delete(t.output, key)
}

func (t *tally) endPackage(e event) {
	t.packages++
	word := map[string]string{"pass": "ok", "fail": "FAIL", "skip": "none"}[e.Action]
	if e.Action != "fail" {
		t.ok++
	} else {
		// A panic or a timeout ends the process before its tests are closed.
		for key := range t.output {
			if strings.HasPrefix(key, e.Package+" ") {
				t.dump(key)
			}
		}
	}
	fmt.Fprintf(t.out, "%-5s %6.1fs %4d tests  %s\n", word, e.Elapsed, t.perPackage[e.Package], e.Package)
}

// dump prints what a test said, unless it only waited for its turn.
func (t *tally) dump(key string) {
	said := false
	for _, line := range t.output[key] {
		said = said || !strings.HasPrefix(line, "=== ")
	}
	if said {
		fmt.Fprintf(t.out, "--- %s\n%s", key, strings.Join(t.output[key], ""))
	}
	delete(t.output, key)
}

func (t *tally) good() bool {
	return len(t.failed) == 0 && len(t.skipped) == 0 && t.ok == t.packages && t.packages > 0 && len(t.passed) > 0
}

func (t *tally) finish(name string, took time.Duration) string {
	sort.Strings(t.failed)
	for _, key := range t.failed {
		fmt.Fprintln(t.out, "FAILED ", key)
	}
	for _, key := range t.skipped {
		fmt.Fprintln(t.out, "SKIPPED", key)
	}
	verdict := "ok"
	if !t.good() {
		verdict = "FAILED"
	}
	return fmt.Sprintf("%-22s %-6s %d packages, %d tests passed, %d failed, %d skipped, %d s",
		name, verdict, t.packages, len(t.passed), len(t.failed), len(t.skipped), int(took.Seconds()))
}

func appendLine(path, line string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, line); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
