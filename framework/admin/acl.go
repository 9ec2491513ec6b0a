package admin

import (
	"errors"
	"fmt"
	"slices"

	"github.com/duequeue/duequeue/framework/internal/acl"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Role says what a Redis user is for, see [ACLRules].
type Role int

// The roles. Each may do what the ones before it may, but for RoleLook.
const (
	// RoleOffer is for processes that only offer, cancel and look: no queue is handled, and
	// none transferred (set Config.NoTransfer, or the log has one warning).
	RoleOffer Role = acl.Offer
	// RoleServe is for processes that handle queues or transfer them, as clients that
	// offer do unless they are told not to.
	RoleServe Role = acl.Serve
	// RoleOperate is for people and the command line: redrive, drop and export dead
	// messages, migrate, take out what is pending or ready, pause and limit, doctor.
	RoleOperate Role = acl.Operate
	// RoleLook is for people who only look, and for a console that does: it can write nothing.
	RoleLook Role = acl.Look
)

var aclRoles = [...]string{"offer", "serve", "operate", "look"}

// String returns the name that "duequeue acl -role" knows.
func (r Role) String() string {
	if r < 0 || int(r) >= len(aclRoles) {
		return fmt.Sprintf("Role(%d)", int(r))
	}
	return aclRoles[r]
}

// ParseRole reads what String returns.
func ParseRole(name string) (Role, error) {
	if i := slices.Index(aclRoles[:], name); i >= 0 {
		return Role(i), nil
	}
	return 0, fmt.Errorf("unknown role %q: look, offer, serve or operate", name)
}

// ACLRules returns the minimal rights of a Redis user for a role, as arguments of ACL
// SETUSER: keys, channel and commands, no password and no "on". queues are names as Java
// gives them to getBlockingQueue or, with a name mapper, as the mapper returns them; a name
// that ends in "*" means all queues whose names begin so; [EveryPartition] of a queue is
// such a name. The commands are read from the
// scripts themselves. The error names every invalid queue name.
//
// Keys are shared with Java, so the user may read and write them in full; what is minimal
// is the set of commands: of RoleLook those that read alone, of the others no dangerous one, and none on all keys but SCAN, by which an
// operator's "duequeue reap" finds queues. Only operators get CONFIG GET, which shows
// passwords too: a client tries it once when it starts, and works without it.
func ACLRules(role Role, queues ...string) ([]string, error) {
	if role < RoleOffer || role > RoleLook {
		return nil, fmt.Errorf("%v is no role", role)
	}
	if len(queues) == 0 {
		return nil, errors.New("name at least one queue")
	}
	rules := []string{"resetkeys", "resetchannels", "-@all"}
	var errs []error
	for _, q := range queues {
		r, err := acl.Names(int(role), q)
		if err != nil {
			errs = append(errs, err)
		}
		rules = append(rules, r...)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if role == RoleServe || role == RoleOperate {
		rules = append(rules, "&"+wire.ControlChannel)
	}
	if role >= RoleOperate {
		rules = append(rules, "~"+wire.AuditKey, "~"+wire.ShownKey)
	}
	return append(rules, acl.Commands(int(role))...), nil
}
