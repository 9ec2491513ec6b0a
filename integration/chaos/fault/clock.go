package fault

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

//go:embed clocks/wrongclock.c
var wrongClockSource string

// Clock is the time of day of one redis-server, which can be made wrong while it runs. It needs
// a C compiler. (libfaketime hangs in programs with jemalloc.)
type Clock struct{ dir string }

// NewClock makes a clock that is right; [Clock.Env] belongs to the server that lives by it.
func NewClock(tb testing.TB) *Clock {
	tb.Helper()
	c := &Clock{tb.TempDir()}
	source := filepath.Join(c.dir, "wrongclock.c")
	noError(tb, errors.Join(os.WriteFile(source, []byte(wrongClockSource), 0o600), c.set(0)))
	said, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", c.library(), source).CombinedOutput()
	if err != nil {
		tb.Fatalf("compile wrongclock.c (install gcc; .ci/setup.sh does): %v\n%s", err, said)
	}
	return c
}

func (c *Clock) library() string { return filepath.Join(c.dir, "wrongclock.so") }
func (c *Clock) file() string    { return filepath.Join(c.dir, "wrongclock") }

// Env is what the server needs in its environment.
func (c *Clock) Env() []string {
	return []string{"LD_PRELOAD=" + c.library(), "DUEQUEUE_TEST_WRONG_CLOCK=" + c.file()}
}

// set changes how wrong the clock is, from the next look at it on.
func (c *Clock) set(skew time.Duration) error {
	f, err := os.OpenFile(c.file(), os.O_CREATE|os.O_WRONLY, 0o600) // in place: the server has it mapped
	if err != nil {
		return err
	}
	_, err = f.Write(binary.NativeEndian.AppendUint64(nil, uint64(skew.Milliseconds())))
	return errors.Join(err, f.Close())
}

// Jump makes the clock of a server wrong by skew, ahead when that is positive; End sets it right.
func (c *Clock) Jump(tb testing.TB, s *lab.Server, skew time.Duration) Fault {
	to := func(skew time.Duration) {
		noError(tb, c.set(skew))
		lab.WaitFor(tb, fmt.Sprintf("a clock that is wrong by %v", skew), func() bool {
			before := time.Now()
			got, err := s.Client().Time(tb.Context()).Result()
			off := got.Sub(before) - skew
			return err == nil && off > -500*time.Millisecond && off < 500*time.Millisecond+time.Since(before)
		})
	}
	return counted(fmt.Sprintf("Redis's clock jumps by %v and back", skew), func() { to(skew) }, func() { to(0) })
}

// EnvFaketime names the environment variable with the path of libfaketimeMT.so.1, for
// systems that keep it in an unusual place.
const EnvFaketime = "DUEQUEUE_TEST_FAKETIME"

// JavaClock is the environment of a JVM whose time of day is wrong by skew. It needs libfaketime.
func JavaClock(tb testing.TB, skew time.Duration) []string {
	tb.Helper()
	library := os.Getenv(EnvFaketime)
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1", "/usr/local/lib/faketime/libfaketimeMT.so.1"} {
		if found, _ := filepath.Glob(pattern); library == "" && len(found) > 0 {
			library = found[0]
		}
	}
	if library == "" {
		tb.Fatal("no libfaketimeMT.so.1 found: install it (Debian: apt-get install libfaketime; .ci/setup.sh chaos does), or name it by " + EnvFaketime)
	}
	return []string{
		"LD_PRELOAD=" + library, fmt.Sprintf("FAKETIME=%+.3f", skew.Seconds()),
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1", // its name before 0.9.8
		"FAKETIME_DONT_RESET=1",
	}
}
