package admin

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// findNear looks for names that are likely misspelt.
func findNear(all []QueueStatus) {
	var idle []string
	for _, q := range all {
		if q.waits() {
			idle = append(idle, q.Queue)
		}
	}
	for i := range all {
		q := &all[i]
		if !q.astray() {
			continue
		}
		for _, other := range idle {
			if near(q.Queue, other) {
				q.Near = other
				break
			}
		}
	}
}

// waits reports whether processes serve the queue, and it has no message.
func (q *QueueStatus) waits() bool { return q.Takers > 0 && q.Ready+q.Delayed+q.InFlight == 0 }

// astray reports whether the queue has messages, and no Go process takes them. A client that offers to
// a wrong name transfers it, too.
func (q *QueueStatus) astray() bool { return q.Takers == 0 && q.Ready+q.Delayed > 0 }

// near reports whether two names differ in at most two letters, or in their case alone.
func near(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	const most = 2
	x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if min(x, y) < 5 || max(x-y, y-x) > most {
		return false
	}
	return config.Distance(a, b) <= most && digits(a) == digits(b)
}

// digits are those of a name: ORDERS_1 and ORDERS_2 are meant to differ.
func digits(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// shellName is a name as it stands in a command that runs as printed: in the quotes of a shell
// where it needs them and, where it has control characters or blanks around it, as Go quotes it.
func shellName(name string) string {
	if name == "" || name != strings.TrimSpace(name) || name[0] == '-' || name[0] == '"' || codecs.Printable(name, math.MaxInt) != name {
		name = strconv.Quote(name)
	}
	return words.Quote(name)
}
