package fault

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed clocks/wrongclock.c
var wrongClockSource string

// ErrNoCompiler tells that the clock of a redis-server cannot be made wrong for want of
// a C compiler.
var ErrNoCompiler = errors.New("no C compiler (cc) found, which a server with a wrong clock needs: install gcc; .ci/setup.sh does")

// wrongClock is the clock of one redis-server, of its own making because libfaketime
// hangs in programs with jemalloc.
type wrongClock struct{ dir string }

func (c wrongClock) library() string { return filepath.Join(c.dir, "wrongclock.so") }
func (c wrongClock) file() string    { return filepath.Join(c.dir, "wrongclock") }

// make compiles the library that tells the time.
func (c wrongClock) make() error {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		return errors.Join(ErrNoCompiler, err)
	}
	source := filepath.Join(c.dir, "wrongclock.c")
	if err = errors.Join(os.WriteFile(source, []byte(wrongClockSource), 0o600), c.Set(0)); err != nil {
		return err
	}
	said, err := exec.Command(compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", c.library(), source).CombinedOutput()
	if err != nil {
		return fmt.Errorf("compile wrongclock.c: %w\n%s", err, said)
	}
	return nil
}

func (c wrongClock) env() []string {
	return []string{"LD_PRELOAD=" + c.library(), "DUEQUEUE_TEST_WRONG_CLOCK=" + c.file()}
}

// Set changes how wrong the clock is, from the next look at it on.
func (c wrongClock) Set(skew time.Duration) error {
	f, err := os.OpenFile(c.file(), os.O_CREATE|os.O_WRONLY, 0o600) // in place: the server has it mapped
	if err != nil {
		return err
	}
	_, err = f.Write(binary.NativeEndian.AppendUint64(nil, uint64(skew.Milliseconds())))
	return errors.Join(err, f.Close())
}
