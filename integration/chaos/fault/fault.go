// Package fault breaks Redis servers, clusters, Sentinel groups, connections and clocks on
// purpose. The servers and proxies are those of package lab.
//
// A fault that takes no hold fails the test. One that takes hold but that nobody runs into
// shows by its effects, so that it cannot pass for one that was survived.
//
//	full := fault.FullMemory(t, srv)
//	full.Begin() // from here on writes are refused
//	…
//	full.End()
//	full.Effects() // 412 commands were refused
//
// # Clocks
//
// Leases, due times, lateness and dead letters live by Redis's clock, which each script reads;
// between two replies the engine goes on by its monotonic clock. Java counts due times by the
// clock of whoever offers, and releases them by the clock of whoever transfers: a Java client
// that is ahead by 10 s releases 10 s early, Go's messages too.
package fault

import (
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// Fault is one way of breaking something. Begin returns when it holds, End when what it harmed
// can work again. They may take turns, and belong to one goroutine at a time.
type Fault struct {
	Name       string
	Begin, End func()
	// Effects counts what the fault did to others since it was made; it is complete after End.
	Effects func() int
}

// counted is a fault with one effect each time it begins.
func counted(name string, begin, end func()) Fault {
	n := 0
	return Fault{Name: name, Begin: func() { begin(); n++ }, End: end, Effects: func() int { return n }}
}

// Kill ends a server by SIGKILL; End starts it again on the same port and data.
func Kill(s *lab.Server) Fault { return counted("Redis kill -9", s.Kill, s.Restart) }

// Pause stops a server by SIGSTOP: connections stay open and nothing answers.
func Pause(s *lab.Server) Fault { return counted("Redis SIGSTOP", s.Pause, s.Resume) }

// FullMemory makes a server refuse whatever needs memory (OOM) from the first command
// to the last: its limit is set to half of what it uses, without eviction, so that
// emptying queues does not end the fault.
func FullMemory(tb testing.TB, s *lab.Server) Fault {
	rdb, effects, before := s.Client(), 0, 0
	limit := func(bytes int) {
		noError(tb, rdb.ConfigSet(tb.Context(), "maxmemory", strconv.Itoa(bytes)).Err())
	}
	return Fault{
		Name: "full memory, noeviction",
		Begin: func() {
			noError(tb, rdb.ConfigSet(tb.Context(), "maxmemory-policy", "noeviction").Err())
			used, err := strconv.Atoi(infoField(tb, rdb, "used_memory"))
			noError(tb, err)
			limit(used / 2)
			if err := rdb.Set(tb.Context(), "duequeue-fault-probe", "", 0).Err(); err == nil || !strings.HasPrefix(err.Error(), "OOM") {
				tb.Fatalf("a write into full memory: %v, want OOM", err)
			}
			before = errorCount(tb, rdb, "OOM")
		},
		End: func() {
			effects += errorCount(tb, rdb, "OOM") - before
			limit(0)
		},
		Effects: func() int { return effects },
	}
}

// errorCount is how many replies with one of these codes (the first word of an error)
// a server gave since it was started, by its own count.
func errorCount(tb testing.TB, rdb *redis.Client, codes ...string) (sum int) {
	tb.Helper()
	for _, code := range codes {
		counted, _, _ := strings.Cut(strings.TrimPrefix(infoField(tb, rdb, "errorstat_"+code), "count="), ",")
		n, _ := strconv.Atoi(counted) // no such error: no such field
		sum += n
	}
	return sum
}

// infoField is one field of INFO, "" where it is missing, as soon as the server answers.
func infoField(tb testing.TB, rdb *redis.Client, field string) string {
	tb.Helper()
	var info string
	lab.WaitFor(tb, "INFO", func() (answers bool) {
		var err error
		info, err = rdb.Info(tb.Context(), "everything").Result()
		return err == nil
	})
	_, rest, _ := strings.Cut("\r\n"+info, "\r\n"+field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

func noError(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
