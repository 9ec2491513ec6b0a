package control

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Process is a record with what the server knows of it.
type Process struct {
	Record

	ID  string        // of its engine
	Age time.Duration // since the record was written
	// Silent says that it should have written again: it was killed, or cannot reach Redis.
	Silent bool
	// Leaves is in how long it is left out, where it remains silent.
	Leaves time.Duration
}

const headBytes = 36 // in front of a record: written ms 16, again ms 10, lease ms 10

// ReadProcesses returns the processes that serve a queue, in the order of their hosts and numbers.
// Errors are those of [script.Script.Run].
func ReadProcesses(ctx context.Context, rdb redis.Scripter, k wire.Keys) ([]Process, error) {
	value, err := processesScript.Run(ctx, rdb, []string{k.Processes})
	if err != nil {
		return nil, err
	}
	return parseProcesses(value)
}

// PresenceCall is a read for a pipeline; [ParseProcesses] takes its reply.
func PresenceCall(k wire.Keys) script.Call {
	return script.Call{Script: processesScript, Keys: []string{k.Processes}}
}

// ParseProcesses reads the reply of a [PresenceCall].
func ParseProcesses(reply script.Reply) ([]Process, error) {
	if reply.Err != nil {
		return nil, reply.Err
	}
	return parseProcesses(reply.Value)
}

func parseProcesses(value any) ([]Process, error) {
	in := script.NewReader(processesScript, value)
	now := in.Integer()
	var all []Process
	for in.More() {
		id, text := in.Text(), in.Text()
		if p, ok := parseRecord(id, text, now); ok {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b Process) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID), cmp.Compare(a.ID, b.ID))
	})
	return all, in.Err()
}

// parseRecord reports false for one that is over, and for what is no record.
func parseRecord(id, text string, now int64) (p Process, ok bool) {
	if len(text) < headBytes || json.Unmarshal([]byte(text[headBytes:]), &p.Record) != nil {
		return Process{}, false
	}
	var head [3]int64
	for i, part := range []string{text[:16], text[16:26], text[26:headBytes]} {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < 0 {
			return Process{}, false
		}
		head[i] = n
	}
	age, again, lease := max(now-head[0], 0), head[1], head[2]
	p.ID, p.Age = id, time.Duration(age)*time.Millisecond
	p.Silent = age > again+again/10+lateMs
	p.Leaves = time.Duration(again+lease-age) * time.Millisecond
	return p, p.Leaves >= 0
}

// lateMs is how late a record may come without being missed.
const lateMs = 1000
