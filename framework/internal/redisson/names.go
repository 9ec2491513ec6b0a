package redisson

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxNameBytes is the longest raw queue name that [CheckName] accepts. Redis
// itself would take 512 MB; every key of the queue repeats the name.
const MaxNameBytes = 512

// NameError reports a raw queue name that cannot be served anywhere.
type NameError struct {
	Name   string // the name as given
	Reason string // what is wrong with it and what to do
}

// Error names the queue and the reason.
func (e *NameError) Error() string {
	return fmt.Sprintf("queue name %q: %s", e.Name, e.Reason)
}

// SlotError reports a queue name whose keys hash to different slots, so that
// its scripts fail with CROSSSLOT on a Redis Cluster. It is harmless on a
// standalone Redis or behind Sentinel.
type SlotError struct {
	Name      string // raw queue name
	QueueSlot int    // slot of the ready list
	OtherKey  string // the first key that falls elsewhere
	OtherSlot int    // slot of that key
}

// Error says which keys fall apart and how to name the queue instead.
func (e *SlotError) Error() string {
	return fmt.Sprintf(
		"queue name %q: its keys fall into different slots (%d for the queue, %d for %q): "+
			"a Redis Cluster refuses its scripts; use a name without braces or with one whole {tag}",
		e.Name, e.QueueSlot, e.OtherSlot, e.OtherKey)
}

// CheckName checks a raw queue name. It returns a [*NameError] for a name that
// is empty, too long, not UTF-8 or contains control characters, a [*SlotError]
// for one whose keys fall into different slots, and nil otherwise.
func CheckName(rawName string) error {
	switch {
	case rawName == "":
		return &NameError{Name: rawName, Reason: "is empty; give the name that Java passes to getBlockingQueue"}
	case len(rawName) > MaxNameBytes:
		return &NameError{
			Name:   rawName[:32] + "…",
			Reason: fmt.Sprintf("is %d bytes long, more than %d", len(rawName), MaxNameBytes),
		}
	case !utf8.ValidString(rawName):
		return &NameError{Name: rawName, Reason: "is not valid UTF-8, which Java names always are"}
	case strings.ContainsFunc(rawName, unicode.IsControl):
		return &NameError{Name: rawName, Reason: "contains a control character"}
	}
	want := Slot(rawName)
	for _, key := range KeysOf(rawName).all() {
		if got := Slot(key); got != want {
			return &SlotError{Name: rawName, QueueSlot: want, OtherKey: key, OtherSlot: got}
		}
	}
	return nil
}

// Twin returns the other raw name that shares the timeout set, pending list and
// channel with rawName: "{q}" for "q" and the reverse. Of two such queues,
// whoever transfers first sends the messages of both to its own list. ok is
// false where no such name exists.
func Twin(rawName string) (twin string, ok bool) {
	if rawName == "" {
		return "", false
	}
	if !strings.Contains(rawName, "{") {
		return "{" + rawName + "}", true
	}
	inner, found := strings.CutPrefix(rawName, "{")
	if !found {
		return "", false
	}
	inner, found = strings.CutSuffix(inner, "}")
	if !found || inner == "" || strings.Contains(inner, "{") {
		return "", false
	}
	return inner, true
}
