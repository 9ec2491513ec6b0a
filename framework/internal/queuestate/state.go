// Package queuestate judges in a word how a queue is. The console, "duequeue queues" and
// "duequeue top" show the same words; CONSOLE.md says what they mean.
package queuestate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/health"
)

// lateAfter is the lag from which on a queue counts as late.
const lateAfter = time.Minute

// Level says how much a state asks of people.
type Level string

// The levels, from the worst.
const (
	Bad  Level = "bad"
	Warn Level = "warn"
	Info Level = "info"
	Good Level = "good"
)

// State is how a queue is in a word.
type State struct {
	Word  string
	Level Level
	Why   string // for people, as others may have written it
	// Weight tells how bad it is beside the other states: the worse the higher.
	Weight int
}

// String is the word and why.
func (s State) String() string {
	switch {
	case s.Level == Good:
		return s.Word
	case strings.HasPrefix(s.Why, s.Word):
		return s.Why
	}
	return s.Word + ": " + s.Why
}

// Of judges a queue by what a cheap reading tells, and returns the worst that is so.
func Of(q admin.QueueStatus) State { return All(q)[0] }

// All returns all that is so of a queue, the worst first, at least one. Of each of these there
// is at most one answer: do messages move, do processes take them, and what have operators set?
func All(q admin.QueueStatus) []State {
	var all []State
	if q.Err != nil {
		all = append(all, State{"unreadable", Bad, q.Err.Error(), 60})
	}
	if len(q.Expiring) > 0 {
		all = append(all, State{"expiring", Bad, strings.Join(q.Expiring, "; "), 55})
	}
	if q.Unserved > 0 {
		all = append(all, State{"stranded", Bad, fmt.Sprintf("messages that lie in partitions from which no Go process takes: %d; see duequeue doctor", q.Unserved), 48})
	}
	all = append(all, moves(q)...)
	all = append(all, takes(q)...)
	all = append(all, isSet(q)...)
	if len(all) == 0 {
		return []State{{"fine", Good, "nothing waits for longer than it should", 0}}
	}
	slices.SortStableFunc(all, func(a, b State) int { return cmp.Compare(b.Weight, a.Weight) })
	return all
}

// moves says where messages wait for too long. The ready messages of a paused queue may, and the
// lag is that of what has waited longest: it tells of those that are overdue only where none is
// ready.
func moves(q admin.QueueStatus) []State {
	late := q.Lag > lateAfter
	switch {
	case q.Overdue > 0 && q.Listeners == 0:
		return []State{{"stuck", Bad, "messages are due, and no process transfers them", 50}}
	case late && q.Ready > 0 && q.Pause == nil:
		return []State{{"late", Bad, "the oldest message that is due has waited for more than a minute", 40}}
	case late && q.Ready == 0 && q.Overdue > 0:
		return []State{{"late", Bad, "due messages are not transferred in time", 40}}
	case q.Delayed > 0 && q.Listeners == 0:
		return []State{{"unserved", Warn, "messages are pending, and no process would transfer them", 15}}
	}
	return nil
}

// takes says which Go processes do not take messages that they could.
func takes(q admin.QueueStatus) (all []State) {
	switch {
	case q.Closed == 0:
	case q.Closed+q.Silent == q.Processes && q.Ready > 0:
		all = append(all, State{"held up", Bad, HeldUp(q), 45})
	default:
		all = append(all, State{"held up", Warn, HeldUp(q), 35})
	}
	if q.Silent > 0 {
		all = append(all, State{"silent", Warn, fmt.Sprintf("killed, or without Redis: %d of %d Go processes", q.Silent, q.Processes), 30})
	}
	return all
}

// isSet says what operators have set.
func isSet(q admin.QueueStatus) (all []State) {
	if q.Pause != nil {
		all = append(all, State{"paused", Warn, q.Pause.String() + " (" + admin.JavaGoesOn + ")", 20})
	}
	if q.Limit != nil {
		all = append(all, State{"limited", Info, q.Limit.String(), 10})
	}
	return all
}

// HeldUp says why processes take nothing.
func HeldUp(q admin.QueueStatus) string {
	why, ok := map[health.Reason]string{
		health.BecauseBreaker:     "handlers fail in a row, and their breaker is open",
		health.BecauseUndecodable: "payloads in a row could not be decoded",
		health.BecauseHung:        "too many handlers hang",
		health.BecauseLease:       "Redis has not confirmed their lease in time",
		health.BecauseControl:     "what operators want of them could not be read",
		health.BecauseDraining:    "they stop",
	}[q.Because]
	if !ok {
		why = string(q.Because)
	}
	if q.Closed+q.Silent == q.Processes {
		return "no Go process takes from this queue: " + why
	}
	return fmt.Sprintf("%d of %d Go processes take nothing: %s", q.Closed, q.Processes, why)
}
