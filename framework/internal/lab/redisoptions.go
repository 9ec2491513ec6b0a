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
	name := os.Getenv(EnvBinary)
	if name == "" {
		name = "redis-server"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w: %w; %s", ErrNoBinary, err, installHint)
	}
	return path, nil
}

// Option changes how a server is started.
type Option interface {
	apply(*settings)
	String() string
}

// settings is what the options fill in.
type settings struct {
	args             []string
	appendOnly       bool
	password         string
	sentinelPassword string
	tls              bool   // a second, encrypted port
	sentinel         string // a Sentinel: the text of its configuration file
}

type argsOption []string

// Args passes further arguments to redis-server, after the package's own, so that
// they win: Args("--maxmemory", "10mb").
func Args(args ...string) Option { return argsOption(args) }

func (o argsOption) apply(s *settings) { s.args = append(s.args, o...) }
func (o argsOption) String() string    { return fmt.Sprintf("Args(%q)", []string(o)) }

type appendOnlyOption struct{}

// AppendOnly turns the append-only file on, synced at each write, so that data
// survive [Server.Kill] and [Server.Restart]. Without it a server keeps nothing.
func AppendOnly() Option { return appendOnlyOption{} }

func (appendOnlyOption) apply(s *settings) { s.appendOnly = true }
func (appendOnlyOption) String() string    { return "AppendOnly()" }

type passwordOption string

// Password sets the password of the default user; [Server.Client] and [Server.URL]
// carry it.
func Password(password string) Option { return passwordOption(password) }

func (o passwordOption) apply(s *settings) { s.password = string(o) }
func (o passwordOption) String() string    { return "Password(…)" }

type sentinelPasswordOption string

// SentinelPassword makes the Sentinels of [StartSentinel] demand this password, which
// is not the servers' own. It has no meaning elsewhere.
func SentinelPassword(password string) Option { return sentinelPasswordOption(password) }

func (o sentinelPasswordOption) apply(s *settings) { s.sentinelPassword = string(o) }
func (o sentinelPasswordOption) String() string    { return "SentinelPassword(…)" }

// arguments is the command line without the port.
func (s *settings) arguments(dir string) []string {
	args := []string{
		"--bind", "127.0.0.1", "--dir", dir, "--daemonize", "no",
		"--save", "", "--loglevel", "notice", "--logfile", "",
	}
	if s.appendOnly {
		args = append(args, "--appendonly", "yes", "--appendfsync", "always")
	} else {
		args = append(args, "--appendonly", "no")
	}
	if s.password != "" {
		args = append(args, "--requirepass", s.password)
	}
	return append(args, s.args...)
}
