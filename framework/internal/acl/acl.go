// Package acl says what a Redis user needs: which keys, channels and commands. Package admin has the
// roles and the rules.
package acl

import (
	"errors"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/audit"
	"github.com/duequeue/duequeue/framework/internal/changes"
	"github.com/duequeue/duequeue/framework/internal/control"
	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/expiry"
	"github.com/duequeue/duequeue/framework/internal/journal"
	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/migrate"
	"github.com/duequeue/duequeue/framework/internal/move"
	"github.com/duequeue/duequeue/framework/internal/presence"
	"github.com/duequeue/duequeue/framework/internal/probe"
	"github.com/duequeue/duequeue/framework/internal/recode"
	"github.com/duequeue/duequeue/framework/internal/retire"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Roles, see those of package admin. Each but the last may do what the ones before it may.
const (
	Offer = iota
	Serve
	Operate
	Look
)

// What is run outside scripts. HELLO and AUTH are allowed to everybody.
var direct = [...][]string{
	Offer: {
		"asking", "eval", "evalsha", "ping", "info", "select", "wait", "set", "cluster|slots", "cluster|shards",
		"zrange", "zmscore", "lrange", "xrange", "zcard", "zcount", "llen", "smembers", "exists", "pubsub|numsub",
	},
	Serve: {
		"blmove", "client|id", "client|tracking", "client|unblock", "hdel", "subscribe", "time", "type", "unsubscribe", "xinfo", "xlen", "xpending",
	},
	Operate: {
		"cluster|info", "config|get", "hmget", "lpop", "persist", "pubsub|channels", "publish", "role", "scan", "xdel", "xrevrange",
	},
}

// What those who only look run, outside scripts; in scripts they run what of it these read with.
var (
	look = []string{
		"asking", "cluster|info", "cluster|shards", "cluster|slots", "eval", "evalsha", "exists", "hget", "hmget", "info", "llen", "lrange", "ping",
		"pubsub|channels", "pubsub|numsub", "role", "scan", "select", "smembers", "time", "type", "xlen", "xrange", "xrevrange", "zcard", "zcount", "zmscore", "zrange",
	}
	reads = []string{
		"exists", "get", "hexists", "hget", "hgetall", "hlen", "hmget", "hscan", "hstrlen", "lindex", "llen", "lrange", "mget", "pttl", "scard", "sismember",
		"smembers", "strlen", "time", "type", "xlen", "xrange", "xrevrange", "zcard", "zcount", "zmscore", "zrange", "zrangebyscore", "zrank", "zrevrange", "zrevrangebyscore", "zscore",
	}
)

// Names returns the patterns of one queue's keys and channel.
func Names(role int, queue string) ([]string, error) {
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
	case role < Operate:
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
func ownNames(role int, tag string) []string {
	var rules []string
	if role >= Operate {
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
func taggedNames(role int, pattern string) []string {
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

// Commands returns the grants of a role, sorted.
func Commands(role int) []string {
	scripts := slices.Concat(delayed.OfferScripts(), lease.FindScripts(), journal.Scripts(), expiry.Scripts(), control.OfferScripts())
	if role >= Serve {
		scripts = slices.Concat(scripts, delayed.ServeScripts(), delayed.TellScripts(), probe.Scripts(), lease.Scripts(), control.Scripts(), presence.Scripts())
	}
	if role >= Operate {
		scripts = slices.Concat(scripts, delayed.OperateScripts(), migrate.Scripts(), control.OperateScripts(), audit.Scripts(), retire.Scripts(), journal.OperateScripts(), recode.Scripts(), lease.OperateScripts(), changes.Scripts(), move.Scripts())
	}
	var names []string
	for _, s := range scripts {
		for _, c := range s.Commands() {
			names = append(names, strings.ToLower(c))
		}
	}
	if role == Look {
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(reads, name) })
		names = append(names, look...)
	} else {
		for r := Offer; r <= role; r++ {
			names = append(names, direct[r]...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, n := range names {
		names[i] = "+" + n
	}
	return names
}
