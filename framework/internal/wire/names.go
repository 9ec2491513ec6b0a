package wire

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/duequeue/duequeue/framework/fault"
)

// MaxNameBytes is the longest raw queue name that [CheckName] accepts. Redis
// itself would take 512 MB; every key of the queue repeats the name.
const MaxNameBytes = 512

// CheckName checks a raw queue name. It returns a [*fault.NameError] for a name that
// is empty, too long, not UTF-8, contains control characters or is a key of another queue, a
// [*fault.SlotError] for one whose keys fall into different slots, and nil otherwise. It is for
// names that people declare; those that Java has given to its queues pass [CheckFound].
func CheckName(rawName string) error {
	switch {
	case len(rawName) > MaxNameBytes:
		return &fault.NameError{
			Name:   rawName[:32] + "…",
			Reason: fmt.Sprintf("is %d bytes long, more than %d", len(rawName), MaxNameBytes),
		}
	case !utf8.ValidString(rawName):
		return &fault.NameError{Name: rawName, Reason: "is not valid UTF-8, which Java names always are"}
	case strings.ContainsFunc(rawName, unicode.IsControl):
		return &fault.NameError{Name: rawName, Reason: "contains a control character"}
	}
	return CheckFound(rawName)
}

// CheckFound is [CheckName] for the name of a queue that exists, which tools look at: Java takes
// names that are longer, hold control characters or are not UTF-8.
func CheckFound(rawName string) error {
	switch {
	case rawName == "":
		return &fault.NameError{Name: rawName, Reason: "is empty; give the name that Java passes to getBlockingQueue"}
	case isKey(rawName):
		return &fault.NameError{Name: rawName, Reason: "is a key that belongs to a queue; give the name of the queue, as Java passes it to getBlockingQueue"}
	}
	want := Slot(rawName)
	for _, key := range KeysOf(rawName).All() {
		if got := Slot(key); got != want {
			return &fault.SlotError{Name: rawName, QueueSlot: want, OtherKey: key, OtherSlot: got}
		}
	}
	return nil
}

// keyPrefixes begin the keys of queues, but for ready lists.
var keyPrefixes = func() []string {
	k := KeysOf("q")
	return prefixesOf(append(k.All(), k.Cleared, k.Changes, k.Journal, k.Fetches(""), k.Inflight("", ""), k.Stage("")))
}()

// prefixesOf returns what stands before the tag in keys of the queue q, where one has a prefix.
func prefixesOf(keys []string) (all []string) {
	for _, key := range keys {
		if prefix, _, derived := strings.Cut(key, "{q}"); derived {
			all = append(all, prefix)
		}
	}
	return all
}

// isKey reports whether a name is that of a key of a queue: offers and takes of such a one would
// break the queue, and whoever may not see the queue could look into it.
func isKey(rawName string) bool {
	return slices.ContainsFunc(keyPrefixes, func(prefix string) bool {
		rest, found := strings.CutPrefix(rawName, prefix)
		return found && strings.Contains(rest, "{")
	})
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

// queuePrefixes begin the keys of which a queue in use has one or the other.
var queuePrefixes = prefixesOf(KeysOf("q").Names())

// TagIn returns what follows the prefix of a key of a queue.
func TagIn(key string) (tag string, ok bool) {
	for _, prefix := range queuePrefixes {
		if tag, ok := strings.CutPrefix(key, prefix); ok && strings.Contains(tag, "{") {
			return tag, true
		}
	}
	return "", false
}

// NameOf returns the name of a queue in Redis whose keys end in tag. It is without its braces
// where they may be those of the keys: all keys but the ready list are the same for both.
func NameOf(tag string) string {
	if name, ok := Twin(tag); ok && strings.HasPrefix(tag, "{") {
		return name
	}
	return tag
}
