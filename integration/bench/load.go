package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// slowFrom is the shortest script that SLOWLOG is told to note.
const slowFrom = 200 * time.Microsecond

// commandCost is what Redis tells of one command: calls and µs.
type commandCost struct{ calls, micros float64 }

// load is what Redis did during a measurement.
type load struct {
	cpu      float64 // µs of the process
	scripts  commandCost
	longest  time.Duration          // script; 0 when all were shorter than slowFrom
	commands map[string]commandCost // those inside of scripts too
}

// loadWatch measures a [load].
type loadWatch struct {
	rdb    *redis.Client
	cpu    float64
	before map[string]commandCost
}

func watchLoad(ctx context.Context, rdb *redis.Client) (*loadWatch, error) {
	w := &loadWatch{rdb: rdb}
	if err := rdb.ConfigSet(ctx, "slowlog-log-slower-than", strconv.FormatInt(slowFrom.Microseconds(), 10)).Err(); err != nil {
		return nil, err
	}
	if err := rdb.ConfigSet(ctx, "slowlog-max-len", "20000").Err(); err != nil {
		return nil, err
	}
	if err := rdb.Do(ctx, "slowlog", "reset").Err(); err != nil {
		return nil, err
	}
	var err error
	if w.before, err = commandCosts(ctx, rdb); err != nil {
		return nil, err
	}
	w.cpu, err = redisCPU(ctx, rdb)
	return w, err
}

func (w *loadWatch) end(ctx context.Context) (load, error) {
	cpu, err := redisCPU(ctx, w.rdb)
	if err != nil {
		return load{}, err
	}
	after, err := commandCosts(ctx, w.rdb)
	if err != nil {
		return load{}, err
	}
	l := load{cpu: cpu - w.cpu, commands: map[string]commandCost{}}
	for name, cost := range after {
		before := w.before[name]
		cost = commandCost{cost.calls - before.calls, cost.micros - before.micros}
		switch {
		case cost.calls == 0:
		case isScript(name):
			l.scripts.calls += cost.calls
			l.scripts.micros += cost.micros
		default:
			l.commands[name] = cost
		}
	}
	slow, err := w.rdb.SlowLogGet(ctx, -1).Result()
	for _, entry := range slow {
		if len(entry.Args) > 0 && isScript(strings.ToLower(entry.Args[0])) {
			l.longest = max(l.longest, entry.Duration)
		}
	}
	return l, err
}

func isScript(command string) bool {
	return strings.HasPrefix(command, "eval") || strings.HasPrefix(command, "fcall")
}

// commandCosts reads INFO commandstats.
func commandCosts(ctx context.Context, rdb *redis.Client) (map[string]commandCost, error) {
	text, err := rdb.Info(ctx, "commandstats").Result()
	if err != nil {
		return nil, err
	}
	costs := map[string]commandCost{}
	for line := range strings.Lines(text) {
		name, fields, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "cmdstat_")), ":")
		if !ok || !strings.HasPrefix(line, "cmdstat_") {
			continue
		}
		var cost commandCost
		if _, err := fmt.Sscanf(fields, "calls=%f,usec=%f", &cost.calls, &cost.micros); err != nil {
			return nil, fmt.Errorf("INFO commandstats: %q: %w", line, err)
		}
		costs[name] = cost
	}
	return costs, nil
}

// ourLooks are commands of this program that Redis counts beside those of scripts.
var ourLooks = []string{"info", "exec", "multi", "publish", "exists", "scan", "slowlog|get", "slowlog|reset", "config|set"}

// perMessage tells which commands took the time of the scripts, µs per message, the
// dearest first. Those in without are not of scripts either.
func (l load) perMessage(n int, without ...string) string {
	without = append(without, ourLooks...)
	names := slices.SortedFunc(maps.Keys(l.commands), func(a, b string) int {
		return cmp.Compare(l.commands[b].micros, l.commands[a].micros)
	})
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(without, name) })
	var parts []string
	for _, name := range names[:min(len(names), 6)] {
		parts = append(parts, fmt.Sprintf("%s %s", name, figure(l.commands[name].micros/float64(n))))
	}
	return strings.Join(parts, ", ")
}

// milliseconds of a duration.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
