package interop_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// exampleServesJava: the order example on a real Redis handles what Java produces;
// what its HTTP endpoint offers is Java's to take once the example has stopped.
func exampleServesJava(t testing.TB, b *bench) {
	app := startExample(t, "-redis", b.srv.URL(), "-addr", "127.0.0.1:0", "-payment-timeout", "1s", "-review-timeout", "1s")
	listening := app.await(t, `listening.* addr=(\S+)`)
	service := b.jvm.Open(t, b.srv.URL())
	unpaid := service.Queue(t, b.java, "ORDER_PAYMENT_TIMEOUT")
	unreviewed := service.Queue(t, b.java, "ORDER_TIMEOUT_NOT_EVALUATED")

	unpaid.Offer(t, jvm.Sample("order"), soon)
	app.await(t, `order cancelled.* order=100 remark=其他信息`)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listening[1]+"/orders", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("POST /orders: %s", response.Status)
	}
	app.interrupt(t) // before anything is due

	unpaid.Hold(t)
	unreviewed.Hold(t)
	if taken := unpaid.Take(t, patient, jvm.Sample("order")); !taken.Equal {
		t.Errorf("Java took %#v, not equal to its own HashMap", taken.Value)
	}
	if taken := unreviewed.Take(t, patient, jvm.Sample("order")); taken.Equal {
		t.Errorf("Java took order 100 from the second queue: %#v", taken.Value)
	}
}

// example is the running example program.
type example struct {
	cmd  *exec.Cmd
	out  rig.Output
	gone chan error
}

func startExample(t testing.TB, args ...string) *example {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "order-timeout")
	command := slices.Concat([]string{"build", "-o", binary}, raceFlag(), []string{"./examples/01-order-timeout"})
	build := exec.CommandContext(t.Context(), "go", command...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the example: %v\n%s", err, out)
	}
	e := &example{cmd: exec.Command(binary, args...), gone: make(chan error, 1)}
	e.cmd.Stdout, e.cmd.Stderr = &e.out, &e.out
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { e.gone <- e.cmd.Wait() }()
	t.Cleanup(func() { _ = e.cmd.Process.Kill() }) // for a test that failed on the way
	return e
}

// await waits for a line and returns its submatches.
func (e *example) await(t testing.TB, pattern string) []string {
	t.Helper()
	line := regexp.MustCompile(pattern)
	var found []string
	lab.Wait(t, func() string {
		if found = line.FindStringSubmatch(e.out.String()); found == nil {
			return fmt.Sprintf("the example did not print %q but\n%s", pattern, e.out.String())
		}
		return ""
	})
	return found
}

// interrupt is Ctrl-C; the example must end in good order.
func (e *example) interrupt(t testing.TB) {
	t.Helper()
	if err := e.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(patient)
	defer timer.Stop()
	select {
	case err := <-e.gone:
		if err != nil {
			t.Errorf("the example ended with %v\n%s", err, e.out.String())
		}
	case <-timer.C:
		t.Fatalf("the example did not end on Ctrl-C\n%s", e.out.String())
	}
}

// raceFlag is -race where this test runs with it: all that the example imports is built
// so then, and would be built once more without it.
func raceFlag() []string {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return []string{"-race"}
	}
	return nil
}
