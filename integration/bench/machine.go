package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
)

// machine says what the figures depend on.
func (b *bench) machine() string {
	told, _ := b.rdb.InfoMap(b.ctx, "server").Result() // a page without the release is better than none
	parts := []string{lab.Machine(), "Redis " + told["Server"]["redis_version"] + " on the same machine"}
	for _, name := range []string{"java", "node"} {
		if p := b.programs[name]; p != nil {
			parts = append(parts, p.hello)
		}
	}
	return strings.Join(parts, "; ")
}

// cpuUse is CPU time in ticks: of all cores, of those that had nothing to do, and of this program
// with all that it started.
type cpuUse struct{ all, idle, own float64 }

// cpuNow reads /proc; all zero where there is none.
func cpuNow() (u cpuUse) {
	data, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(data), "\n")
	const idle, iowait, guest = 3, 4, 8 // a guest's time is in the user's too
	for i, field := range strings.Fields(strings.TrimPrefix(line, "cpu")) {
		ticks, _ := strconv.ParseFloat(field, 64)
		if i < guest {
			u.all += ticks
		}
		if i == idle || i == iowait {
			u.idle += ticks
		}
	}
	own, _ := lab.StatOf(os.Getpid())
	for _, p := range append(lab.Descendants(own.PID), own) {
		u.own += float64(p.Ticks)
	}
	return u
}

// others is the share of all cores that other programs used since before.
func (u cpuUse) others(before cpuUse) float64 {
	all := max(u.all-before.all, 1)
	return max(0, 1-(u.idle-before.idle+u.own-before.own)/all)
}

// cpuOf is the time that processes and their ended children have used, in µs; of one that has ended
// zero.
func cpuOf(pids ...int) (micros float64) {
	for _, pid := range pids {
		p, _ := lab.StatOf(pid)
		micros += float64(p.Ticks) * 10_000 // on all machines of today
	}
	return micros
}

// ownCPU is the time that this process has used, in µs.
func ownCPU() float64 { return cpuOf(os.Getpid()) }

// infoField is a number that INFO tells; 0 for none.
func infoField(info, name string) float64 {
	_, rest, _ := strings.Cut(info, "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	number, _ := strconv.ParseFloat(value, 64)
	return number
}

// slowFrom is the shortest script that SLOWLOG notes.
const slowFrom = 200 * time.Microsecond

// load is what Redis did during a measurement.
type load struct {
	cpu     float64 // µs of the process
	calls   float64 // of scripts
	micros  float64 // in scripts
	longest float64 // script, ms; 0 when all were shorter than slowFrom
}

// watchLoad begins to measure; the function that it returns ends that.
func watchLoad(ctx context.Context, rdb *redis.Client) (func() (load, error), error) {
	pipe := rdb.Pipeline()
	pipe.ConfigSet(ctx, "slowlog-log-slower-than", strconv.FormatInt(slowFrom.Microseconds(), 10))
	pipe.ConfigSet(ctx, "slowlog-max-len", "20000")
	pipe.Do(ctx, "slowlog", "reset")
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	before, err := readLoad(ctx, rdb)
	return func() (load, error) {
		l, failed := readLoad(ctx, rdb)
		if failed != nil {
			return load{}, failed
		}
		l.cpu, l.calls, l.micros = l.cpu-before.cpu, l.calls-before.calls, l.micros-before.micros
		slow, failed := rdb.SlowLogGet(ctx, -1).Result()
		for _, entry := range slow {
			if len(entry.Args) > 0 && isScript(strings.ToLower(entry.Args[0])) {
				l.longest = max(l.longest, milliseconds(entry.Duration))
			}
		}
		return l, failed
	}, err
}

// readLoad reads the sums since the server's start.
func readLoad(ctx context.Context, rdb *redis.Client) (l load, err error) {
	text, err := rdb.Info(ctx, "all").Result()
	l.cpu = 1e6 * (infoField(text, "used_cpu_user") + infoField(text, "used_cpu_sys"))
	for line := range strings.Lines(text) {
		name, fields, _ := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":")
		var calls, micros float64
		if isScript(name) {
			_, _ = fmt.Sscanf(fields, "calls=%f,usec=%f", &calls, &micros)
		}
		l.calls += calls
		l.micros += micros
	}
	return l, err
}

func isScript(command string) bool {
	return strings.HasPrefix(command, "eval") || strings.HasPrefix(command, "fcall")
}

// milliseconds of a duration.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
