package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// EnvBinary is the environment variable that names the server binary to run, for
// example /opt/redis-6.2.14/bin/redis-server. Empty or unset means redis-server
// from PATH.
const EnvBinary = "DUEQUEUE_REDIS_SERVER"

// ErrNoBinary is returned (wrapped) by [Run] when there is no server binary to run.
// The message says what to install.
var ErrNoBinary = errors.New("no redis-server found")

const installHint = `install it, for example
	apt-get install redis-server     (Debian, Ubuntu)
	dnf install redis                (Fedora, RHEL)
	apk add redis                    (Alpine)
	brew install redis               (macOS)
or set ` + EnvBinary + ` to the path of a redis-server or valkey-server binary (6.2 or newer)`

// binary finds the server binary.
func binary() (string, error) {
	if name := os.Getenv(EnvBinary); name != "" {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%w: %s=%q cannot be run (%w); %s", ErrNoBinary, EnvBinary, name, err, installHint)
		}
		return path, nil
	}
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return "", fmt.Errorf("%w: redis-server is not in PATH; %s", ErrNoBinary, installHint)
	}
	return path, nil
}
