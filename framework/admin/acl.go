package admin

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/recode"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Role says what a Redis user is for, see [ACLRules].
type Role int

// The roles. Each may do what the ones before it may, but for RoleLook.
const (
	// RoleOffer is for processes that only offer, cancel and look: no queue is handled, and
	// none transferred (set Config.NoTransfer, or the log has one warning).
	RoleOffer Role = iota
	// RoleServe is for processes that handle or transfer queues. A client that offers also
	// transfers, unless Config.NoTransfer is set.
	RoleServe
	// RoleOperate is for people and the command line: redrive, drop and export dead
	// messages, migrate, take out what is pending or ready, pause and limit, doctor.
	RoleOperate
	// RoleLook is for people who only look, and for a console that does: it can write nothing.
	RoleLook
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
		r, err := aclNames(role, q)
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
	return append(rules, aclCommands(role)...), nil
}

// What is run outside scripts. HELLO and AUTH are allowed to everybody.
var aclDirect = [...][]string{
	RoleOffer: {
		"asking", "eval", "evalsha", "ping", "info", "select", "wait", "set", "cluster|slots", "cluster|shards",
		"zrange", "zmscore", "lrange", "xrange", "zcard", "zcount", "llen", "smembers", "exists", "pubsub|numsub",
	},
	RoleServe: {
		"blmove", "client|id", "client|unblock", "hdel", "subscribe", "time", "type", "unsubscribe", "xinfo", "xlen", "xpending",
	},
	RoleOperate: {
		"cluster|info", "config|get", "hmget", "lpop", "persist", "pubsub|channels", "publish", "role", "scan", "xdel", "xrevrange",
	},
}

// What those who only look run, outside scripts; in scripts they run what of it these read with.
var (
	aclLooks = []string{
		"asking", "cluster|info", "cluster|shards", "cluster|slots", "eval", "evalsha", "exists", "hget", "hmget", "info", "llen", "lrange", "ping",
		"pubsub|channels", "pubsub|numsub", "role", "scan", "select", "smembers", "time", "type", "xlen", "xrange", "xrevrange", "zcard", "zcount", "zmscore", "zrange",
	}
	aclReads = []string{
		"exists", "get", "hexists", "hget", "hgetall", "hlen", "hmget", "hscan", "hstrlen", "lindex", "llen", "lrange", "mget", "pttl", "scard", "sismember",
		"smembers", "strlen", "time", "type", "xlen", "xrange", "xrevrange", "zcard", "zcount", "zmscore", "zrange", "zrangebyscore", "zrank", "zrevrange", "zrevrangebyscore", "zscore",
	}
)

// aclNames returns the patterns of one queue's keys and channel.
func aclNames(role Role, queue string) ([]string, error) {
	name, prefix := strings.CutSuffix(queue, "*")
	if prefix && name == "" { // all queues: Java's key of ready messages has the bare name of its queue
		return []string{"~*", "&redisson_delay_queue_channel:*"}, nil
	}
	if err := wire.CheckName(name); err != nil {
		if slot := (*fault.SlotError)(nil); !errors.As(err, &slot) { // that one is fine without a cluster
			return nil, err
		}
	}
	k := wire.KeysOf(name)
	tag := k.Tag()
	if prefix && tag != name {
		tag = strings.TrimSuffix(tag, "}") // of all names that begin so: braces of the name itself stay
	}
	tag = escape(tag)
	own := escape(k.Queue)
	if prefix {
		own, tag = own+"*", tag+"*"
	}
	rules := []string{
		"~" + own,
		"~redisson_delay_queue_timeout:" + tag,
		"~redisson_delay_queue:" + tag,
		"~redisson_delay_queue_channel:" + tag, // scripts that publish name it among their keys
		"&redisson_delay_queue_channel:" + tag,
	}
	rules = append(rules, ownNames(role, tag)...)
	if prefix && !strings.Contains(name, "{") {
		rules = append(rules, taggedNames(role, own)...)
	}
	switch twin, ok := wire.Twin(name); { // doctor looks whether something lies there
	case role < RoleOperate:
	case prefix && !strings.Contains(name, "{"):
		rules = append(rules, "~{"+escape(name)+"*")
	case ok && !prefix:
		rules = append(rules, "~"+escape(twin))
	}
	return rules, nil
}

// ownNames returns the patterns of our own keys of a queue. The kinds are named one by
// one: with a * there the keys of a queue "other:{name}" would match, or a session of
// another queue whose random name begins so.
func ownNames(role Role, tag string) []string {
	var rules []string
	if role >= RoleOperate {
		rules = append(rules, "~duequeue:changes:"+tag, "~duequeue:cleared:"+tag, "~duequeue:moving:"+tag)
	}
	for _, kind := range []string{"attempts", "control", "dead", "dedup", "due", "head", "ids", "journal", "leases", "names", "processes", "sessions", "trace"} {
		rules = append(rules, "~duequeue:"+kind+":"+tag)
	}
	for _, kind := range wire.RepeatedKinds {
		rules = append(rules, "~duequeue:"+kind+":"+tag+":*")
	}
	return rules
}

// taggedNames returns the patterns of the further keys of names that begin so and have a
// hash tag behind that: such names are in their keys without braces around them.
func taggedNames(role Role, pattern string) []string {
	return append([]string{
		"~redisson_delay_queue_timeout:" + pattern,
		"~redisson_delay_queue:" + pattern,
		"~redisson_delay_queue_channel:" + pattern,
		"&redisson_delay_queue_channel:" + pattern,
	}, ownNames(role, pattern)...)
}

// escape makes text match itself in a rule. A rule cannot hold a blank: any character
// may stand there instead.
func escape(s string) string {
	return strings.ReplaceAll(wire.EscapeGlob(s), " ", "?")
}

// aclCommands returns the grants of a role, sorted.
func aclCommands(role Role) []string {
	scripts := slices.Concat(delayed.OfferScripts(), lease.FindScripts(), journal.Scripts(), control.OfferScripts())
	if role >= RoleServe {
		scripts = slices.Concat(scripts, delayed.ServeScripts(), delayed.TellScripts(), connect.Scripts(), lease.Scripts(), control.Scripts())
	}
	if role >= RoleOperate {
		scripts = slices.Concat(scripts, delayed.OperateScripts(), control.OperateScripts(), journal.OperateScripts(), recode.Scripts(), lease.OperateScripts())
	}
	var names []string
	for _, s := range scripts {
		for _, c := range s.Commands() {
			names = append(names, strings.ToLower(c))
		}
	}
	if role == RoleLook {
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(aclReads, name) })
		names = append(names, aclLooks...)
	} else {
		for r := RoleOffer; r <= role; r++ {
			names = append(names, aclDirect[r]...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, n := range names {
		names[i] = "+" + n
	}
	return names
}
