package web

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// Role says what a user may do with a queue. Each may do what the ones before it may.
type Role int

// The roles.
const (
	RoleNone    Role = iota // sees nothing; the zero value
	RoleLook                // sees queues, and of payloads the fields that are declared visible
	RoleSupport             // cancels and reschedules messages, and sees hidden fields
	RoleOperate             // pauses, limits, redrives
	RoleAdmin               // drops and clears: what no one can bring back
)

var roleNames = [...]string{"none", "look", "support", "operate", "admin"}

// String returns the name that "duequeue web -role" knows.
func (r Role) String() string {
	if r < 0 || int(r) >= len(roleNames) {
		return fmt.Sprintf("Role(%d)", int(r))
	}
	return roleNames[r]
}

// ParseRole reads what String returns.
func ParseRole(name string) (Role, error) {
	for r, known := range roleNames {
		if name == known {
			return Role(r), nil
		}
	}
	return RoleNone, fmt.Errorf("unknown role %q: look, support, operate or admin", name)
}

// User is who looks.
type User struct {
	// Name goes to the audit and into pauses and limits, where all who may look read it.
	Name string
	// Role is what the user may do with each queue.
	Role Role
	// On returns the role on one queue instead, by its name as Java gives it to
	// getBlockingQueue. It is asked with one name for each queue, however the user writes it:
	// for a partition with the name of the whole queue, and for a name in braces without them,
	// unless that name is declared. Queues on which it is RoleNone do not exist for the user.
	// Nil is Role everywhere. It must be safe for concurrent use.
	On func(queue string) Role
}

// on returns the role on a queue; without a queue, that on the console as a whole.
func (u User) on(queue string) Role {
	if queue == "" || u.On == nil {
		return u.Role
	}
	return u.On(queue)
}

// oneName has On asked with one name for each queue.
func (c *Console) oneName(u User) User {
	if ask := u.On; ask != nil {
		u.On = func(queue string) Role { return ask(c.nameOf(queue)) }
	}
	return u
}

// nameOf returns the name of a queue that others lead to as well: those of its partitions,
// that in braces, and what the client's mapping of names makes the same of.
func (c *Console) nameOf(queue string) string {
	client := access.Of(c.client)
	for range 4 { // a mapping may make a partition's name of another
		keys, err := client.Keys(queue)
		if err != nil {
			return queue // which no page takes
		}
		if name, ok := c.declaredBy[keys.Timeout]; ok {
			return name
		}
		raw := keys.Queue
		if inner, braces := wire.Twin(raw); braces && strings.HasPrefix(raw, "{") {
			raw = inner
		}
		if name, ok := client.Own(raw); ok {
			queue = name
		}
		whole, _, partition := wire.PartitionedBy(queue)
		if !partition {
			return queue
		}
		queue = whole
	}
	return queue
}

// declaredByKey returns the names of declared queues by a key that all names of one lead to.
func declaredByKey(client access.Client, declared []registry.Descriptor) map[string]string {
	by := map[string]string{}
	for _, d := range declared {
		if keys, err := client.Keys(d.Key()); err == nil {
			by[keys.Timeout] = d.Key()
		}
	}
	return by
}
