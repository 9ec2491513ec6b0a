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

// ErrNoBinary is returned (wrapped) by [RunRedis] when there is no server binary to run.
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
type Option func(*settings)

// settings is what the options fill in.
type settings struct {
	args             []string
	env              []string
	appendOnly       bool
	password         string
	sentinelPassword string
	tls              bool   // a second, encrypted port
	sentinel         string // a Sentinel: the text of its configuration file
}

// Args passes further arguments to redis-server, after the package's own, so that
// they win: Args("--maxmemory", "10mb").
func Args(args ...string) Option {
	return func(s *settings) { s.args = append(s.args, args...) }
}

// Env adds variables to the environment of the server.
func Env(env ...string) Option { return func(s *settings) { s.env = append(s.env, env...) } }

// AppendOnly turns the append-only file on, synced at each write, so that data
// survive [Server.Kill] and [Server.Restart]. Without it a server keeps nothing.
func AppendOnly() Option { return func(s *settings) { s.appendOnly = true } }

// Password sets the password of the default user; [Server.Client] and [Server.URL]
// carry it.
func Password(password string) Option { return func(s *settings) { s.password = password } }

// SentinelPassword makes the Sentinels of [StartSentinel] demand this password, which
// is not the servers' own. It has no meaning elsewhere.
func SentinelPassword(password string) Option {
	return func(s *settings) { s.sentinelPassword = password }
}

// TLS adds a second, encrypted address, [Server.TLSAddr], with certificates made for
// it, that demands a certificate from its clients; see [Server.TLSFiles]. This process
// serves it and passes the plain bytes on, so that it works with a server binary that was
// built without TLS too.
func TLS() Option { return func(s *settings) { s.tls = true } }

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
