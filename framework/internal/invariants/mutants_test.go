package invariants

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lease"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

var long = flag.Bool("invariants.long", false, "all mutants instead of every third one, and ten times the runs")

// mutant is one way to break a script. The old text must stand there: who changes the
// script changes the mutant too.
type mutant struct {
	script   string
	old, new string
	killers  string // the invariants that may notice, as "I1 I4"
}

// mutants of all scripts that move messages. Each row says what a line is there for.
var mutants = map[string]mutant{
	"offer: a resend does not look for the first try": {"offer", "  if score then\n", "  if false then\n", "I1"},
	"offer: Java's list is forgotten":                 {"offer", "redis.pcall('RPUSH', KEYS[2], element)", "redis.pcall('LLEN', KEYS[2])", "I1"},
	"transfer: stays pending too":                     {"transfer", "redis.call('ZREM', KEYS[1], unpack(good))", "redis.call('ZCARD', KEYS[1])", "I1"},
	"transfer: due records are forgotten":             {"transfer", "pcall(due_append, KEYS[4], fields, records, fresh)", "fresh = fresh", "I7"},
	"transfer: to the head":                           {"transfer", "redis.call('RPUSH', KEYS[3], unpack(payloads))", "redis.call('LPUSH', KEYS[3], unpack(payloads))", "I1 I4"},
	"transfer: malformed ones stay":                   {"transfer", "  redis.call('ZREM', KEYS[1], element)\n  malformed", "  malformed", "I1"},
	"take: one too many leaves the list":              {"take", "call('LTRIM', queue, used - staged, -1)", "call('LTRIM', queue, used - staged + 1, -1)", "I1 I4"},
	"take: nothing leaves the list":                   {"take", "call('LTRIM', queue, used - staged, -1)", "call('LLEN', queue)", "I1 I4"},
	"take: nothing leaves staging":                    {"take", "call('LTRIM', stage, staged, -1)", "call('LLEN', stage)", "I1 I4"},
	"take: the fetch is not named":                    {"take", "call('SADD', KEYS[4], ARGV[2])", "call('SCARD', KEYS[4])", "I1 I5 I9"},
	"take: a repeat takes anew":                       {"take", "if special and call('LLEN', list) > 0 then", "if false then", "I1 I4"},
	"take: who was reaped is not told":                {"take", "local lost = call('ZADD',", "local lost = 0 * call('ZADD',", "I3"},
	"take: the session is not registered":             {"take", "local lost = call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[1])", "local lost = 0", "I1 I3 I5 I9"},
	"take: due records stay":                          {"take", "        spread('HDEL', KEYS[7], dels)\n", "", "I9"},
	"choose: a suspect comes with others":             {"take", "#keep > 0 and (died >= 2 or", "#keep > 0 and (false or", "I1"},
	"choose: what ends a batch is lost":               {"take", "plan.used = i - 1", "plan.used = i", "I1"},
	"choose: any size is handed out":                  {"take", "  if #b > max_payload then\n    bad[i]", "  if false then\n    bad[i]", "I1"},
	"choose: what is buried keeps its counters":       {"take", "      redis.call('HDEL', attempts, m[9])\n", "", "I5"},
	"choose: records stay":                            {"take", "  put(due, plan.due_rest)\n", "", "I9"},
	"choose: the history is not told":                 {"take", "text = text .. ' ' .. history", "text = text .. ''", "I5"},
	"settle: one ack of several is forgotten":         {"ack", "redis.call('LSET', key, index, mark)", "redis.call('LINDEX', key, index)", "I2"},
	"settle: a finished fetch stays":                  {"ack", "there = redis.call('DEL', key) == 1", "there = redis.call('LLEN', key) > 0", "I2 I9"},
	"settle: counters of what is done stay":           {"ack", "redis.call('HDEL', attempts, field)", "redis.call('HGET', attempts, field)", "I5 I9"},
	"nack: in flight and pending":                     {"nack", "redis.pcall('LSET', list, index, tomb(nonce, text))", "redis.pcall('LINDEX', list, index)", "I1"},
	"nack: always charged":                            {"nack", "failures = failures + tonumber(ARGV[2])", "failures = failures + 1", "I5"},
	"nack: hand-outs do not count":                    {"nack", "delivered = delivered + 1\n", "", "I5"},
	"nack: a repeat finds nothing":                    {"nack", "if what and id == hex_of(ARGV[5]) then", "if false then", "I3"},
	"nack: Java's list is forgotten":                  {"nack", "redis.pcall('RPUSH', KEYS[3], element)", "redis.pcall('LLEN', KEYS[3])", "I1"},
	"nack: the history is forgotten":                  {"nack", "attempts_text(delivered, failures, died, history, due))", "attempts_text(delivered, failures, died, '', due))", "I5"},
	"nack: the trace is forgotten":                    {"nack", "if context ~= '' then", "if false then", "I7"},
	"nack: one attempt too many":                      {"nack", "limit > 0 and failures >= limit", "limit > 0 and failures > limit", "I5"},
	"nack: a tombstone counts as a message":           {"nack", "if note then", "if false then", "I1 I3 I5"},
	"dead: in flight and dead":                        {"dead", "redis.pcall('LSET', list, index, tomb(nonce, 'dead ' .. entry))", "redis.pcall('LINDEX', list, index)", "I1"},
	"dead: its failure does not count":                {"dead", "failures + tonumber(ARGV[4]), died", "failures, died", "I5"},
	"dead: the history is forgotten":                  {"dead", "rec and traced, history)", "rec and traced)", "I5"},
	"dead: counters stay":                             {"dead", "redis.call('HDEL', KEYS[3], field)", "redis.call('HGET', KEYS[3], field)", "I5"},
	"release: to the tail":                            {"release", "redis.call('LPUSH', queue, body)", "redis.call('RPUSH', queue, body)", "I1 I4"},
	"release: in flight and ready":                    {"release", "redis.pcall('LSET', list, index, tomb(nonce, 'released'))", "redis.pcall('LLEN', list)", "I1"},
	"release: charged":                                {"release", "attempts_text(d + 1, f, x, history, now)", "attempts_text(d + 1, f + 1, x, history, now)", "I5"},
	"release: what was staged turns round":            {"release", "redis.call('LMOVE', stage, queue, 'RIGHT', 'LEFT')", "redis.call('LMOVE', stage, queue, 'LEFT', 'LEFT')", "I4"},
	"release: due records are forgotten":              {"release", "give_back(KEYS[4], dues)", "dues = nil", "I7"},
	"reap: the newest fetch first":                    {"handback", "return a[2] > b[2]", "return a[2] < b[2]", "I1 I4"},
	"reap: to the tail":                               {"handback", "redis.call('LMOVE', list, queue, 'RIGHT', 'LEFT')", "redis.call('LMOVE', list, queue, 'RIGHT', 'RIGHT')", "I1 I4"},
	"reap: deaths do not count":                       {"handback", "x = x + 1", "x = x + 0", "I5"},
	"reap: a suspect in hand is charged":              {"handback", "x >= 2 and not begun then", "false then", "I1 I5"},
	"reap: what killed three is handed out again":     {"handback", "if c and c[3] >= 3 then", "if false then", "I1 I5"},
	"reap: done messages come back":                   {"handback", "if settled(nonce, body) then", "if false then", "I1 I2 I5"},
	"reap: the session stays":                         {"handback", "redis.call('ZREM', sessions, session)", "redis.call('ZSCORE', sessions, session)", "I9"},
	"reap: the fetches stay":                          {"handback", "redis.call('DEL', fetches)", "redis.call('EXISTS', fetches)", "I9"},
	"reap: due records are forgotten":                 {"handback", "give_back(KEYS[6], dues)", "dues = nil", "I7"},
	"reap: traces are forgotten":                      {"handback", "give_back(KEYS[7], traced)", "traced = nil", "I7"},
	"suspect: its handler leaves no mark":             {"suspect", "'2' .. string.sub(header, 2)", "'1' .. string.sub(header, 2)", "I1 I5"},
	"renew: who was reaped is not told":               {"renew", "if not known then", "if false then", "I3"},
	"refund: takes nothing back":                      {"refund", "math.max(f - times[fields[i]], 0)", "f", "I5"},
	"counters: what is over is told":                  {"take", "if kept and kept < now then", "if false then", "I5"},
	"counters: what is over counts on":                {"nack", "if kept and kept < now then", "if false then", "I5"},
	"forget: counters of the living":                  {"forget", "elseif kept < now then", "elseif true then", "I5"},
	"forget: nothing":                                 {"forget", "    redis.call('HDEL', key, field)\n", "", "I5"},
	"restore: to the tail":                            {"restore", "redis.call('LPUSH', KEYS[1], body)", "redis.call('RPUSH', KEYS[1], body)", "I1 I4"},
	"restore: dead and ready":                         {"restore", "redis.call('XDEL', KEYS[2], ARGV[i])", "redis.call('XLEN', KEYS[2])", "I1"},
	"restore: counters are forgotten":                 {"restore", "put(KEYS[3], counted)", "counted = nil", "I5"},
	"redrive: dead and ready":                         {"redrive", "redis.call('XDEL', KEYS[4], entry)", "redis.call('XLEN', KEYS[4])", "I1"},
	"redrive: removed before it is copied":            {"redrive", "  return now, redis.call('RPUSH', KEYS[5], m.body)", "  return now, redis.call('LLEN', KEYS[5])", "I1"},
	"redrive: to the head":                            {"redrive", "redis.call('RPUSH', KEYS[5], m.body)", "redis.call('LPUSH', KEYS[5], m.body)", "I1 I4"},
	"redrive: the history is forgotten":               {"redrive", "attempts_text(0, 0, 0, history)", "attempts_text(0, 0, 0)", "I5"},
	"redrive: attempts go on":                         {"redrive", "attempts_text(0, 0, 0, history)", "attempts_text(1, 1, 0, history)", "I5"},
	"redrive: malformed ones too":                     {"redrive", "(m.reason ~= 'malformed' or ARGV[1] == '1')", "true", "I1"},
	"redrive: the delay is forgotten":                 {"redrive", "local due = now + tonumber(delay)", "local due = now", "I1 I7"},
	"redrive: the trace is forgotten":                 {"redrive", "if m.trace and #m.trace == 25 then", "if false then", "I7"},
}

// caught is how a seeded run ends when the model disagrees.
type caught string

// seeded are dice that fall the same each time.
type seeded struct{ *rand.Rand }

func (d seeded) roll(n int, _ string) int          { return d.IntN(n) }
func (d seeded) fatalf(format string, args ...any) { panic(caught(fmt.Sprintf(format, args...))) }

const (
	seeds  = 200 // runs that a mutant may survive
	steps  = 60  // of one run
	sample = 3   // every third mutant is tried where nobody asks for all
)

// run plays one seed, and returns what the model found, "" for nothing.
func (k *kit) run(seed uint64) (found string) {
	w := newWorld(k.t.Context(), seeded{rand.New(rand.NewPCG(seed, 8))}, k.rdb, k.wire)
	defer w.end()
	defer func() {
		if p := recover(); p != nil {
			c, ours := p.(caught)
			if !ours {
				panic(p)
			}
			found = string(c)
		}
	}()
	actions := w.actions()
	names := make([]string, 0, len(actions))
	for name := range actions {
		names = append(names, name)
	}
	slices.Sort(names)
	for range steps {
		actions[names[w.roll(len(names), "action")]]()
		w.look()
	}
	w.drain()
	return ""
}

// Every script as it is passes the seeds; every one that is broken on purpose is
// noticed, by an invariant that its row names.
func TestMutantsAreKilled(t *testing.T) {
	t.Parallel()
	sources := map[string]*redisson.Script{}
	for _, s := range append(lease.Scripts(), redisson.Scripts()...) {
		sources[s.Name()] = s
	}
	runs := seeds
	if *long {
		runs = 10 * seeds
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		k := newKit(t)
		for seed := range uint64(runs / 10) {
			if found := k.run(seed); found != "" {
				t.Fatalf("seed %d: %s", seed, found)
			}
		}
	})
	for i, name := range slices.Sorted(maps.Keys(mutants)) {
		m := mutants[name]
		if !*long && i%sample != 0 {
			if original := sources[m.script]; original == nil || !strings.Contains(original.Source(), m.old) {
				t.Errorf("script %q does not have this text: %q", m.script, m.old)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			original := sources[m.script]
			if original == nil || !strings.Contains(original.Source(), m.old) {
				t.Fatalf("script %q does not have this text: %q", m.script, m.old)
			}
			k := newKit(t)
			k.put(original, redisson.NewScript(m.script, strings.ReplaceAll(original.Source(), m.old, m.new)))
			for seed := range uint64(runs) {
				found := k.run(seed)
				if found == "" {
					continue
				}
				// One thing that goes wrong leads to others, and time decides which is
				// seen first: any of them kills.
				t.Logf("seed %d: %s (breaks %s)", seed, found, m.killers)
				return
			}
			t.Errorf("it survives %d runs", runs)
		})
	}
}
