package delayed

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	// partitionsScript compares and notes numbers of partitions; see lua/partitions.lua.
	partitionsScript = library.Script("partitions")
	// keyTakenScript looks for the message that holds a key; see lua/keytaken.lua.
	keyTakenScript = library.Script("keytaken")
)

// Spread says over how many partitions a process spreads a queue: N and, while the number
// changes, what Other processes use; 0 where all agree.
type Spread struct{ N, Other int }

func (s Spread) text() string {
	if s.Other == 0 || s.Other == s.N {
		return strconv.Itoa(s.N)
	}
	return strconv.Itoa(s.N) + " " + strconv.Itoa(s.Other)
}

// NotedSpread returns what processes have noted of a queue, k being partition 0; the zero
// value where none has noted anything. Errors are [*fault.PartitionsError] for what cannot
// be read, and those of [script.Script.Run].
func NotedSpread(ctx context.Context, rdb redis.Scripter, k wire.Keys) (Spread, error) {
	noted, _, err := comparedSpread(partitionsScript.Run(ctx, rdb, []string{k.Control}, ""))
	if err != nil || noted == "" {
		return Spread{}, err
	}
	n, other, _ := strings.Cut(noted, " ")
	var s Spread
	s.N, err = strconv.Atoi(n)
	if other != "" && err == nil {
		s.Other, err = strconv.Atoi(other)
	}
	if err != nil || s.N < 1 || s.N > wire.Slots || s.Other < 0 || s.Other > wire.Slots {
		return Spread{}, &fault.PartitionsError{Queue: k.Queue, Noted: noted, Key: k.Control}
	}
	return s, nil
}

// Declared is what a process says of a queue.
type Declared struct {
	Code string
	Keys wire.Keys // of partition 0
	Spread
}

// Agree compares the numbers of this process with what others have noted, in one
// pipeline, and notes them where they agree. It returns an error for each queue, nil or a
// [*fault.PartitionsError] or one of [script.Script.Run].
func Agree(ctx context.Context, rdb script.Pipelined, queues ...Declared) []error {
	calls := make([]script.Call, len(queues))
	for i, q := range queues {
		calls[i] = AgreeCall(q)
	}
	errs := make([]error, len(queues))
	for i, reply := range script.RunAll(ctx, rdb, calls) {
		errs[i] = Agreed(queues[i], reply)
	}
	return errs
}

// AgreeCall is the call of [Agree] for a pipeline; [Agreed] takes its reply.
func AgreeCall(q Declared) script.Call {
	return script.Call{Script: partitionsScript, Keys: []string{q.Keys.Control}, Args: []any{q.text()}}
}

// Agreed reads the reply of an [AgreeCall]. Errors are those of [Agree].
func Agreed(q Declared, reply script.Reply) error {
	noted, agree, err := comparedSpread(reply.Value, reply.Err)
	if err == nil && !agree {
		err = &fault.PartitionsError{Queue: q.Code, Declared: q.N, Other: q.Other, Noted: noted, Key: q.Keys.Control}
	}
	return err
}

func comparedSpread(value any, err error) (noted string, agree bool, _ error) {
	if err != nil {
		return "", false, err
	}
	r := script.NewReader(partitionsScript, value)
	noted, agree = r.Text(), r.Integer() == 1
	return noted, agree, r.Err()
}

// KeyTaken reports whether an offer with this key would meet a message that holds it.
func KeyTaken(ctx context.Context, rdb redis.Scripter, k wire.Keys, key string) (bool, error) {
	value, err := keyTakenScript.Run(ctx, rdb, []string{k.Timeout, k.Queue, k.Due, k.Attempts, k.MessageNames, k.IDs}, key)
	if err != nil {
		return false, err
	}
	r := script.NewReader(keyTakenScript, value)
	return r.Integer() == 1, r.Err()
}

// MayNotCompare reports whether the user of this process may not compare numbers of
// partitions: then nothing is known of the others.
func MayNotCompare(err error) bool {
	var refused *fault.PermissionError
	return errors.As(err, &refused)
}
