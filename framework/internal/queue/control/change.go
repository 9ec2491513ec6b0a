package control

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// field is a field of the hash with what it shall hold: a text or, with fromNow, the time of
// Redis and after, in ms.
type field struct {
	name, value string
	fromNow     bool
	after       time.Duration
}

// change sets fields and removes others, in one step, and tells all processes. It returns
// what is set afterwards, and the time of Redis.
func change(ctx context.Context, rdb redis.Scripter, k wire.Keys, set []field, remove ...string) (Settings, time.Time, error) {
	args := []any{newVersion(), wire.ControlChannel, k.Queue, len(remove)}
	for _, name := range remove {
		args = append(args, name)
	}
	for _, f := range set {
		if f.fromNow {
			args = append(args, f.name, "in", f.after.Milliseconds())
		} else {
			args = append(args, f.name, "is", f.value)
		}
	}
	value, err := changeScript.Run(ctx, rdb, []string{k.Control}, args...)
	if err != nil {
		return Settings{}, time.Time{}, err
	}
	return settingsOf(readingOf(changeScript, k.Control, value))
}

// Look reads what operators have set, and the time of Redis. Values that are not understood
// are an error, which joins a [*fault.ControlError] for each; beside it the others are
// returned.
func Look(ctx context.Context, rdb redis.Scripter, k wire.Keys) (Settings, time.Time, error) {
	call := LookCall(k)
	value, err := call.Script.Run(ctx, rdb, call.Keys, call.Args...)
	return SettingsOf(k, script.Reply{Value: value, Err: err})
}

// LookCall is the call of [Look] for a pipeline; [SettingsOf] takes its reply.
func LookCall(k wire.Keys) script.Call {
	return script.Call{Script: lookScript, Keys: []string{k.Control}, Args: []any{newVersion()}}
}

// SettingsOf reads the reply of a [LookCall], as Look does.
func SettingsOf(k wire.Keys, reply script.Reply) (Settings, time.Time, error) {
	if reply.Err != nil {
		return Settings{}, time.Time{}, reply.Err
	}
	return settingsOf(readingOf(lookScript, k.Control, reply.Value))
}

func settingsOf(r reading, err error) (Settings, time.Time, error) {
	if err != nil {
		return Settings{}, time.Time{}, err
	}
	var errs []error
	for _, bad := range r.bad {
		if bad != nil {
			errs = append(errs, bad)
		}
	}
	return r.Settings, time.UnixMilli(r.nowMs), errors.Join(errs...)
}

// newVersion returns a text that no change has had before.
func newVersion() string { return chance.Hex() }

// PauseFor sets a pause in place of one that there is. It ends after length where that is not
// 0, else at p.Until where that is not the zero time. The error joins every mistake, each a
// [*fault.ControlError]; then nothing is set.
func PauseFor(ctx context.Context, rdb redis.Scripter, k wire.Keys, p Pause, length time.Duration) (Settings, time.Time, error) {
	var errs []error
	if strings.TrimSpace(p.Reason) == "" {
		errs = append(errs, &fault.ControlError{Field: fieldReason, Value: p.Reason, Reason: fault.ErrNoPauseReason.Error()})
	}
	errs = append(errs, checkText(fieldReason, p.Reason, maxReason), checkText(fieldBy, p.By, maxAuthor))
	set := []field{{name: fieldReason, value: p.Reason}, {name: fieldBy, value: p.By}, {name: fieldAt, fromNow: true}}
	var remove []string
	switch {
	case length != 0 && (length < time.Millisecond || length > maxPause):
		errs = append(errs, &fault.ControlError{Field: fieldUntil, Value: length.String(), Reason: "must be from 1ms to ten years"})
	case length != 0:
		set = append(set, field{name: fieldUntil, fromNow: true, after: length})
	case p.Until.IsZero():
		remove = append(remove, fieldUntil)
	case p.Until.UnixMilli() < 0 || p.Until.UnixMilli() > maxMs:
		errs = append(errs, &fault.ControlError{Field: fieldUntil, Value: p.Until.String(), Reason: "no time that a clock reaches"})
	default:
		set = append(set, field{name: fieldUntil, value: strconv.FormatInt(p.Until.UnixMilli(), 10)})
	}
	if err := errors.Join(errs...); err != nil {
		return Settings{}, time.Time{}, err
	}
	return change(ctx, rdb, k, set, append(remove, fieldResumedBy, fieldResumedAt)...)
}

// maxPause is the longest pause that ends by itself.
const maxPause = 10 * 365 * 24 * time.Hour

// Resume ends a pause.
func Resume(ctx context.Context, rdb redis.Scripter, k wire.Keys, by string) (Settings, time.Time, error) {
	if err := checkText(fieldResumedBy, by, maxAuthor); err != nil {
		return Settings{}, time.Time{}, err
	}
	var set []field
	if by != "" {
		set = []field{{name: fieldResumedBy, value: by}, {name: fieldResumedAt, fromNow: true}}
	}
	return change(ctx, rdb, k, set, fieldReason, fieldBy, fieldAt, fieldUntil)
}

// SetLimit bounds each process. What is 0 in the limit remains as it was, a negative value
// takes a bound back. The error joins every mistake, each a [*fault.ControlError]; then
// nothing is set.
func SetLimit(ctx context.Context, rdb redis.Scripter, k wire.Keys, l Limit) (Settings, time.Time, error) {
	errs := []error{checkText(fieldLimitReason, l.Reason, maxReason), checkText(fieldLimitBy, l.By, maxAuthor)}
	var set []field
	var remove []string
	switch {
	case l.Rate < 0:
		remove = append(remove, fieldRate)
	case l.Rate != 0:
		text := strconv.FormatFloat(l.Rate, 'g', -1, 64)
		if wrong := rateProblem(l.Rate); wrong != "" {
			errs = append(errs, &fault.ControlError{Field: fieldRate, Value: text, Reason: wrong})
		}
		set = append(set, field{name: fieldRate, value: text})
	}
	switch {
	case l.Workers < 0:
		remove = append(remove, fieldWorkers)
	case l.Workers > MaxWorkers:
		errs = append(errs, &fault.ControlError{
			Field: fieldWorkers, Value: strconv.Itoa(l.Workers), Reason: fmt.Sprintf("must be from 1 to %d for each process", MaxWorkers),
		})
	case l.Workers > 0:
		set = append(set, field{name: fieldWorkers, value: strconv.Itoa(l.Workers)})
	}
	if len(set)+len(remove) == 0 {
		errs = append(errs, &fault.ControlError{Field: "limit", Reason: "give a rate, workers or both"})
	}
	if err := errors.Join(errs...); err != nil {
		return Settings{}, time.Time{}, err
	}
	if len(set) == 0 && len(remove) == 2 { // nothing is bounded any more
		return change(ctx, rdb, k, nil, append(remove, fieldLimitReason, fieldLimitBy, fieldLimitAt)...)
	}
	set = append(set, field{name: fieldLimitReason, value: l.Reason}, field{name: fieldLimitBy, value: l.By}, field{name: fieldLimitAt, fromNow: true})
	return change(ctx, rdb, k, set, remove...)
}

// checkText refuses what would break a line of a log, or fill the hash.
func checkText(name, text string, most int) error {
	switch {
	case len(text) > most:
		return &fault.ControlError{Field: name, Value: text, Reason: fmt.Sprintf("has %d bytes, at most %d", len(text), most)}
	case strings.ContainsFunc(text, unicode.IsControl):
		return &fault.ControlError{Field: name, Value: text, Reason: "holds control characters; one line is enough"}
	}
	return nil
}

// Ask makes the processes of a queue say anew what they do, see package presence.
func Ask(ctx context.Context, rdb redisapi.Client, k wire.Keys) error {
	return rdb.Publish(ctx, wire.ControlChannel, askMark+k.Queue).Err()
}

// What a message on the channel is for.
const (
	changeMark = "="
	askMark    = "?"
)
