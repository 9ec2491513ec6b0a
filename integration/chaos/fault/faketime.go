package fault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// ErrNoFaketime tells that libfaketime is not installed.
var ErrNoFaketime = errors.New("no libfaketimeMT.so.1 found: install it (Debian: apt-get install libfaketime; .ci/setup.sh chaos does), or name it by " + EnvFaketime)

// EnvFaketime names the environment variable with the path of libfaketimeMT.so.1, for
// systems that keep it in an unusual place.
const EnvFaketime = "DUEQUEUE_TEST_FAKETIME"

// FaketimeLibrary is the path of libfaketimeMT.so.1.
func FaketimeLibrary() (string, error) {
	if name := os.Getenv(EnvFaketime); name != "" {
		if _, err := os.Stat(name); err != nil {
			return "", fmt.Errorf("%w: %w", ErrNoFaketime, err)
		}
		return name, nil
	}
	for _, pattern := range []string{
		"/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1", "/usr/local/lib/faketime/libfaketimeMT.so.1",
	} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0], nil
		}
	}
	return "", ErrNoFaketime
}

// faketimeEnv is what makes a C program's clock follow a file. The monotonic clock
// stays true, as it does when an administrator sets the time.
func faketimeEnv(file string) ([]string, error) {
	library, err := FaketimeLibrary()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		if err := writeSkew(file, 0); err != nil {
			return nil, err
		}
	}
	return []string{
		"LD_PRELOAD=" + library,
		"FAKETIME_TIMESTAMP_FILE=" + file,
		"FAKETIME_CACHE_DURATION=1", // seconds between looks at the file
		"FAKETIME_DONT_FAKE_MONOTONIC=1",
		"DONT_FAKE_MONOTONIC=1", // its name before 0.9.8
		"FAKETIME_DONT_RESET=1",
	}, nil
}

// writeSkew replaces the file as a whole: a half-written one would be a wild time.
func writeSkew(file string, skew time.Duration) error {
	next := file + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%+.3f\n", skew.Seconds()), 0o600); err != nil {
		return err
	}
	return os.Rename(next, file)
}
