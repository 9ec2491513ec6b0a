package fault

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// envGoSkew is read by programs that BuildSkewed built.
const envGoSkew = "DUEQUEUE_TEST_CHAOS_SKEW"

// skewSource is a file of package time.
//
//go:embed clocks/skew.go.txt
var skewSource string

// nowLine is where time.Now asks the runtime, and what asks for it instead.
var nowLine, skewedLine = []byte("\tsec, nsec, mono := runtimeNow()\n"), []byte("\tsec, nsec, mono := skewedNow()\n")

// ErrOtherGo tells that this Go's package time is not one that BuildSkewed knows.
var ErrOtherGo = errors.New("time.Now of this Go looks otherwise: BuildSkewed has to learn it")

// BuildSkewed builds a Go program whose time.Now follows the environment variable that
// [GoSkew] makes; without that it is as ever. Everything in the program lives by that
// clock, the engine, its dependencies and the standard library; timers and monotonic
// time stay true, as on a machine whose clock is wrong. (libfaketime cannot do it: Go
// programs do not ask the C library for the time.)
//
// It patches package time of the build by go build -overlay, no file is changed. The
// first build compiles most of the standard library again, a minute or two; later ones
// come from the build cache. dir is where the module is, pkg the program's package.
func BuildSkewed(ctx context.Context, dir, pkg, output string) error {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	place := filepath.Join(string(bytes.TrimSpace(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(place, "time.go"))
	if err != nil {
		return err
	}
	if bytes.Count(source, nowLine) == 0 {
		return ErrOtherGo
	}
	temp, err := os.MkdirTemp("", "duequeue-skew-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	patched, added, overlay := filepath.Join(temp, "time.go"), filepath.Join(temp, "skew.go"), filepath.Join(temp, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(place, "time.go"): patched, filepath.Join(place, "skew.go"): added,
	}})
	if err != nil {
		return err
	}
	err = errors.Join(
		os.WriteFile(patched, bytes.ReplaceAll(source, nowLine, skewedLine), 0o600),
		os.WriteFile(added, []byte(skewSource), 0o600),
		os.WriteFile(overlay, replace, 0o600),
	)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", output, pkg)
	build.Dir = dir
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s with a skewed clock: %w\n%s", pkg, err, said)
	}
	return nil
}

// GoSkew is the environment of a process from [BuildSkewed] whose clock is wrong by skew.
func GoSkew(skew time.Duration) string {
	return fmt.Sprintf("%s=%d", envGoSkew, skew.Milliseconds())
}

// GoJumps is [GoSkew] with a clock that is wrong by one skew and by the other in turn,
// each for a while.
func GoJumps(one, other, while time.Duration) string {
	return fmt.Sprintf("%s=%d,%d,%d", envGoSkew, one.Milliseconds(), other.Milliseconds(), max(while.Milliseconds(), 1))
}
