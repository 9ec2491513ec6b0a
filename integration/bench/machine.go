package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/host"
)

// machine is what the figures depend on.
type machine struct {
	host  string // processor, cores and the Go release
	redis string
	java  string        // Redisson and JDK
	stall time.Duration // the longest that a loop stood still which only reads the clock
}

func describeMachine(ctx context.Context, rdb *redis.Client, java string) (machine, error) {
	info, err := rdb.InfoMap(ctx, "server").Result()
	if err != nil {
		return machine{}, err
	}
	return machine{host: host.Line(), redis: info["Server"]["redis_version"], java: java}, nil
}

// stallLook is for how long a stall is looked for.
const stallLook = 5 * time.Second

// longestStall is how long a thread stands still at most that does nothing but read the clock, while
// nothing else runs: what the machine below takes for itself. Scripts are measured by the clock, too.
func longestStall(ctx context.Context) (longest time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := time.Now().Add(stallLook)
	for last := time.Now(); last.Before(end) && ctx.Err() == nil; {
		now := time.Now()
		longest, last = max(longest, now.Sub(last)), now
	}
	return longest
}

// cpuUse is the time that all cores have spent.
type cpuUse struct{ idle, all float64 }

func cpuTimes() (cpuUse, error) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return cpuUse{}, err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[0] != "cpu" {
		return cpuUse{}, errors.New("/proc/stat: unknown form")
	}
	var use cpuUse
	for i, text := range fields[1:] {
		ticks, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return cpuUse{}, err
		}
		use.all += ticks
		if i == 3 || i == 4 { // idle, iowait
			use.idle += ticks
		}
	}
	return use, nil
}

func (u cpuUse) busyShare(before cpuUse) float64 {
	if u.all == before.all {
		return 0
	}
	return 1 - (u.idle-before.idle)/(u.all-before.all)
}

// redisCPU is the CPU time that Redis has used, in µs.
func redisCPU(ctx context.Context, rdb *redis.Client) (float64, error) {
	s, err := info(ctx, rdb, "used_cpu_user", "used_cpu_sys")
	if err != nil {
		return 0, err
	}
	return (s[0] + s[1]) * 1e6, nil
}

// usedMemory is what Redis has allocated, in bytes.
func usedMemory(ctx context.Context, rdb *redis.Client) (float64, error) {
	bytes, err := info(ctx, rdb, "used_memory")
	if err != nil {
		return 0, err
	}
	return bytes[0], nil
}

// info is what INFO tells of these fields, which are numbers.
func info(ctx context.Context, rdb *redis.Client, fields ...string) ([]float64, error) {
	sections, err := rdb.InfoMap(ctx).Result()
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, section := range sections {
		maps.Copy(all, section)
	}
	numbers := make([]float64, len(fields))
	for i, field := range fields {
		if numbers[i], err = strconv.ParseFloat(all[field], 64); err != nil {
			return nil, fmt.Errorf("INFO: %s: %w", field, err)
		}
	}
	return numbers, nil
}

// ownCPU is the CPU time that this process has used, in µs.
func ownCPU() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return float64(time.Duration(use.Utime.Nano()+use.Stime.Nano()) / time.Microsecond)
}

// resident is one of the sizes of this process that Linux tells, in bytes.
func resident(name string) (uint64, error) {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kilobytes, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status: no %s", name)
}
