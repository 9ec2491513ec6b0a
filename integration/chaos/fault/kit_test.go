package fault_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/chaos/fault"
)

// envSleeper makes this test binary a program that only waits for its end.
const envSleeper = "DUEQUEUE_TEST_SLEEPER"

func TestMain(m *testing.M) {
	if os.Getenv(envSleeper) != "" {
		<-time.After(time.Minute)
		return
	}
	os.Exit(m.Run())
}

// bounded is a context for one test.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func startServer(t *testing.T, o fault.ServerOptions) *fault.Server {
	t.Helper()
	s, err := fault.StartServer(bounded(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

func closed(t *testing.T, c interface{ Close() error }) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func startSleeper(t *testing.T) *fault.Child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envSleeper+"=1")
	c, err := fault.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.End(context.Background(), time.Second); err != nil {
			t.Errorf("end the process: %v", err)
		}
	})
	return c
}

// strike demands that the fault takes hold and that a second strike is refused.
func strike(t *testing.T, f fault.Fault) {
	t.Helper()
	if err := f.Strike(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if err := f.Strike(bounded(t)); !errors.Is(err, fault.ErrStruck) {
		t.Fatalf("a second strike: %v, want ErrStruck", err)
	}
}

// heal demands that the fault ends, also when asked twice.
func heal(t *testing.T, f fault.Fault) {
	t.Helper()
	for range 2 {
		if err := f.Heal(bounded(t)); err != nil {
			t.Fatal(err)
		}
	}
}

func wantTally(t *testing.T, f fault.Fault, strikes, effects int) {
	t.Helper()
	if got := f.Tally(); got.Strikes != strikes || got.Effects != effects || got.Unit == "" {
		t.Errorf("%s: %v, want %d effects in %d strikes", f.Name(), got, effects, strikes)
	}
}

// wantRefused demands an error that begins with code.
func wantRefused(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), code) {
		t.Errorf("got %v, want %s", err, code)
	}
}

func noError(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// awaitField waits until a field of INFO has a value.
func awaitField(t *testing.T, s *fault.Server, section, field, want string) {
	t.Helper()
	rdb := s.NewClient(nil) // the server's own may be blocked
	defer closed(t, rdb)
	ctx := bounded(t)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		info, err := rdb.Info(ctx, section).Result()
		if err == nil && strings.Contains(info, "\r\n"+field+":"+want+"\r\n") {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s never became %s: %v\n%s", field, want, err, info)
		case <-tick.C:
		}
	}
}
