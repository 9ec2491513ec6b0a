// Package causes has the sentences that say why messages of a queue wait: the judge of package admin and
// the health of a process use the same ones. They show nothing of what is in a message.
package causes

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/words"
	"github.com/duequeue/duequeue/handlers"
)

// Breaker is the cause of an intake that failures have closed; kind is what may be shown of the last one.
func Breaker(kind string) string {
	return "handlers fail one after the other, and their breaker is open: " + kind
}

// Undecodable is the cause of an intake that payloads of another codec have closed. Reads says which
// codec reads them, form how one looks; each is "" where it is not known.
func Undecodable(codec, reads, form string) string {
	text := "the next messages are of another codec than the program declares"
	if codec != "" {
		text += " (" + codec + ")"
	}
	switch {
	case reads != "":
		text += "; " + reads
	case form != "":
		text += ": " + form
	}
	return text
}

// Hung is the cause of an intake that handlers have closed which do not return; in names their processes.
func Hung(n int, in ...string) string {
	text := "1 handler hangs"
	if n != 1 {
		text = fmt.Sprintf("%d handlers hang", n)
	}
	if len(in) > 0 {
		text += " (" + strings.Join(in, "; ") + ")"
	}
	return text
}

// Lease is the cause of an intake that a lost lease has closed.
const Lease = "Redis has not confirmed the lease in time"

// Unread is the cause of an intake that is closed until the settings of operators are known.
const Unread = "what operators have set for all processes could not be read"

// Rate is why ready messages wait where a rate limit is used up: the one that operators have set or, with
// nil, that of the declaration. Who says which processes handle so many messages a second.
func Rate(set *health.Limit, perSecond float64, who string) string {
	limit := fmt.Sprintf("%s at most %v a second, as the program declares", who, perSecond)
	if set != nil && set.Rate > 0 {
		limit = set.String()
	}
	return "the rate limit lets no more through: " + limit
}

// Expiring says which keys, in words, Redis is going to delete.
func Expiring(keys ...string) string {
	return "Redis is going to delete keys of the queue: " + strings.Join(keys, "; ")
}

// Refused says what the Redis user of some processes may not do with a queue.
func Refused(user, who string, r control.Refusal) string {
	if user != "" {
		user += " "
	}
	text := "the Redis user " + user + "of " + who + " may not "
	switch {
	case r.Channel != "":
		return text + "listen to " + r.Channel + ": due messages are looked for once a second"
	case r.Command != "":
		return text + "run " + r.Command
	case r.Key != "":
		return text + "use keys of this queue, such as " + r.Key
	}
	return text + "use the keys of this queue"
}

// Grant is the command that prints the rule which a Redis user lacks for a queue, and that takes nothing
// from it. It asks for the rule of a role, "" for the one of services, and for those of all partitions.
// Quoted is the name of the queue as it is typed.
func Grant(role, user, quoted string, partitions bool, r control.Refusal) string {
	command := "duequeue acl"
	if role != "" {
		command += " -role " + role
	}
	switch {
	case r.Command != "":
		command += " -add commands"
	case r.Channel != "":
		command += " -add channels"
	default:
		command += " -add keys"
	}
	if partitions {
		command += " -partitions"
	}
	if user != "" {
		command += " -user " + words.Quote(user)
	}
	return command + " " + quoted
}

// Harmful reports whether a message that died for this reason has killed processes or hung their workers,
// and would again while the cause is there.
func Harmful(reason string) bool {
	return reason == handlers.ReasonCrashLoop || reason == handlers.ReasonHung
}
