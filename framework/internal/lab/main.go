package lab

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// Shared is a server that all tests of a package share, except those that harm it. They use
// queues of their own. It refuses the commands that would change it for the others, such as
// SCRIPT FLUSH, FLUSHALL and CONFIG SET: a test that sends them starts its own by [StartRedis].
var Shared *Server

// harmless is the user of the shared server: it may send all commands but those that change
// the server for everybody. Redis 6.2 takes no "-script|flush".
const harmless = "default on nopass ~* &* +@all -flushall -flushdb -swapdb -debug -shutdown -replicaof -failover" +
	" -script +script|load +script|exists -config +config|get"

// dialsOn is a goroutine of go-redis that dials a server which is down. It ends within a second of the
// end of its client.
const dialsOn = "github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"

// Main runs the tests of a package beside a [Shared] server. It fails if a goroutine is left.
func Main(m *testing.M) {
	flag.Parse()
	var err error
	if Shared, err = RunRedis(Args(append([]string{"--user"}, strings.Fields(harmless)...)...)); err != nil {
		fmt.Fprintln(os.Stderr, "these tests need redis-server:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := Shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := goleak.Find(goleak.IgnoreAnyFunction(dialsOn)); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
