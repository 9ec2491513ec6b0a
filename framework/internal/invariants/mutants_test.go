package invariants

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// mutant is one way to break a script. The old text must stand there: who changes the
// script changes the mutant too.
type mutant struct {
	script   string
	old, new string
	killers  string // the invariants that may notice, as "I1 I4"
}

// mutants of all scripts that move messages. Each row says what a line is there for.
var mutants = map[string]mutant{
	"offer: a resend does not look for the first try": {"offer", "if held[i] and age then", "if false then", "I1"},
	"offer: Java's list is forgotten":                 {"offer", "redis.pcall('RPUSH', KEYS[2], unpack(new))", "redis.pcall('LLEN', KEYS[2])", "I1"},
	"transfer: stays pending too":                     {"transfer/exact", "redis.call('ZREM', KEYS[1], unpack(good))", "redis.call('ZCARD', KEYS[1])", "I1"},
	"transfer: due records are forgotten":             {"transfer/exact", "pcall(due_append, KEYS[4], entries)", "entries = nil", "I7"},
	"transfer: to the head":                           {"transfer/exact", "redis.call('RPUSH', KEYS[3], unpack(payloads))", "redis.call('LPUSH', KEYS[3], unpack(payloads))", "I1 I4"},
	"transfer: malformed ones stay":                   {"transfer/exact", "  redis.call('ZREM', KEYS[1], element)\n  malformed", "  malformed", "I1"},
	"take: one too many leaves the list":              {"take", "call('LTRIM', queue, used - staged, -1)", "call('LTRIM', queue, used - staged + 1, -1)", "I1 I4"},
	"take: nothing leaves the list":                   {"take", "call('LTRIM', queue, used - staged, -1)", "call('LLEN', queue)", "I1 I4"},
	"take: nothing leaves staging":                    {"take", "call('LTRIM', stage, staged, -1)", "call('LLEN', stage)", "I1 I4"},
	"take: the fetch is not named":                    {"take", "call('SADD', KEYS[4], ARGV[2])", "call('SCARD', KEYS[4])", "I1 I5 I9"},
	"take: a repeat takes anew":                       {"take", "local repeated = special and call('LLEN', list) > 0 and 1 or 0", "local repeated = 0", "I1 I4"},
	"take: who was reaped is not told":                {"take", "local lost = call('ZADD',", "local lost = 0 * call('ZADD',", "I3"},
	"take: the session is not registered":             {"take", "local lost = call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[1])", "local lost = 0", "I1 I3 I5 I9"},
	"take: due records stay":                          {"take", "        call('LTRIM', KEYS[7], count, -1)\n", "", "I9"},
	"choose: a suspect comes with others":             {"take", "#keep > 0 and (died >= 2 or", "#keep > 0 and (false or", "I1"},
	"choose: what ends a batch is lost":               {"take", "plan.used = i - 1", "plan.used = i", "I1"},
	"choose: any size is handed out":                  {"take", "  if #b > max_payload then\n    bad[i]", "  if false then\n    bad[i]", "I1"},
	"choose: what is buried keeps its counters":       {"take", "      record_drop(attempts, names, ids, m[7])\n", "", "I5"},
	"choose: records stay":                            {"take", "  if forget_due then\n    forget_due()\n  end\n", "", "I9"},
	"choose: the history is not told":                 {"take", "counters_escape(m.history)", "''", "I5"},
	"choose: the ID is not told":                      {"take", "id_text(m.kind, m.origin, m.id)", "id_text(m.kind, m.origin + 1, m.id)", "I7"},
	"choose: what is in hand is found by others":      {"take", "index_remove(ids, known[i].digest, known[i].indexed, fields[i])", "local _ = 1", "I9"},
	"choose: what Java transferred is not recognised": {"take", "if redis.call('ZCARD', ids) > 0 then", "if false then", "I5"},
	"settle: one ack of several is forgotten":         {"ack", "redis.call('LSET', key, index, mark)", "redis.call('LINDEX', key, index)", "I2"},
	"settle: a finished fetch stays":                  {"ack", "there = redis.call('DEL', key) == 1", "there = redis.call('LLEN', key) > 0", "I2 I9"},
	"settle: counters of what is done stay":           {"ack", "redis.call('HDEL', attempts, field)", "redis.call('HGET', attempts, field)", "I5 I9"},
	"nack: in flight and pending":                     {"nack", "redis.pcall('LSET', list, index, tomb(nonce, text))", "redis.pcall('LINDEX', list, index)", "I1"},
	"nack: always charged":                            {"nack", "m.failed = m.failed + (tonumber(ARGV[2]) or 0)", "m.failed = m.failed + 1", "I5"},
	"nack: hand-outs do not count":                    {"nack", "m.delivered = m.delivered + (ARGV[2] == '-' and 0 or 1)\n", "", "I5"},
	"nack: a repeat finds nothing":                    {"nack", "if what and id == hex_of(ARGV[5]) then", "if false then", "I3"},
	"nack: Java's list is forgotten":                  {"nack", "redis.pcall('RPUSH', KEYS[3], element)", "redis.pcall('LLEN', KEYS[3])", "I1"},
	"nack: the history is forgotten":                  {"nack", "m.digest = redis.sha1hex(body)\n", "m.digest = redis.sha1hex(body)\nm.history = ''\n", "I5"},
	"nack: the trace is forgotten":                    {"nack", "if context ~= '' then", "if false then", "I7"},
	"nack: one attempt too many":                      {"nack", "limit > 0 and m.failed >= limit", "limit > 0 and m.failed > limit", "I5"},
	"nack: a tombstone counts as a message":           {"nack", "if note then", "if false then", "I1 I3 I5"},
	"dead: in flight and dead":                        {"dead", "redis.pcall('LSET', list, index, tomb(nonce, 'dead ' .. entry))", "redis.pcall('LINDEX', list, index)", "I1"},
	"dead: its failure does not count":                {"dead", "m.failed = m.failed + tonumber(ARGV[4])", "m.failed = m.failed + 0", "I5"},
	"dead: the history is forgotten":                  {"dead", "m.delivered = m.delivered + 1\n", "m.delivered = m.delivered + 1\nm.history = ''\n", "I5"},
	"nack: another ID":                                {"nack", "or record_new(kind, origin, id)", "or record_new(kind, origin + 1, id)", "I7"},
	"nack: what waits is not found by its payload":    {"nack", "index_add(ids, m.digest", "index_remove(ids, m.digest", "I5"},
	"nack: what was cancelled is retried":             {"nack", "if header_cancelled(cancelled, index) then", "if false then", "I3"},
	"dead: what was cancelled is dead":                {"dead", "if header_cancelled(cancelled, index) then", "if false then", "I3"},
	"release: what was cancelled comes back":          {"release", "record_field(kind, id), header_cancelled(cancelled, index)", "record_field(kind, id), false", "I1 I3"},
	"reap: what was cancelled comes back":             {"handback", "if header_cancelled(cancelled, index) then", "if false then", "I1 I3 I5"},
	"take: a probe takes the head":                    {"take", "return b, i", "return redis.call('LINDEX', queue, 0), 0", "I1 I4"},
	"dead: counters stay":                             {"dead", "record_drop(KEYS[3], KEYS[4], KEYS[5], field)", "local _ = 1", "I5"},
	"release: to the tail":                            {"release", "redis.call('LPUSH', queue, body)", "redis.call('RPUSH', queue, body)", "I1 I4"},
	"release: in flight and ready":                    {"release", "redis.pcall('LSET', list, index, tomb(nonce, 'released'))", "redis.pcall('LLEN', list)", "I1"},
	"release: charged":                                {"release", "          came_back(m, body, rec)", "          came_back(m, body, rec)\n          m.failed = m.failed + 1", "I5"},
	"release: what was staged turns round":            {"release", "redis.call('LMOVE', key, queue, 'RIGHT', 'LEFT')", "redis.call('LMOVE', key, queue, 'LEFT', 'LEFT')", "I4"},
	"release: due records are forgotten":              {"release", "back.give(queue, KEYS[4], KEYS[5], now)", "back = nil", "I7"},
	"reap: the newest fetch first":                    {"handback", "return a[2] > b[2]", "return a[2] < b[2]", "I1 I4"},
	"reap: to the tail":                               {"handback", "redis.call('LMOVE', list, queue, 'RIGHT', 'LEFT')", "redis.call('LMOVE', list, queue, 'RIGHT', 'RIGHT')", "I1 I4"},
	"reap: deaths do not count":                       {"handback", "m.died = m.died + 1", "m.died = m.died + 0", "I5"},
	"reap: a suspect in hand is charged":              {"handback", "why == 'reap' and m.died >= 2 and not begun then", "false then", "I1 I5"},
	"reap: what killed three is handed out again":     {"handback", "and m.died >= 3 then", "and false then", "I1 I5"},
	"reap: done messages come back":                   {"handback", "if settled(nonce, body) then", "if false then", "I1 I2 I5"},
	"reap: the session stays":                         {"handback", "redis.call('ZREM', sessions, session)", "redis.call('ZSCORE', sessions, session)", "I9"},
	"reap: the fetches stay":                          {"handback", "redis.call('DEL', fetches)", "redis.call('EXISTS', fetches)", "I9"},
	"reap: due records are forgotten":                 {"handback", "back.give(queue, KEYS[6], KEYS[7], now)", "back = nil", "I7"},
	"reap: traces are forgotten":                      {"handback", "now, id), trace)", "now, id))", "I7"},
	"suspect: its handler leaves no mark":             {"suspect", "'2' .. string.sub(header, 2)", "'1' .. string.sub(header, 2)", "I1 I5"},
	"renew: who was reaped is not told":               {"renew", "if not known and not leased and ARGV[3] == '0' then", "if false then", "I3"},
	"nack: hangs do not count":                        {"nack", "m.hung = m.hung +", "m.hung = 0 *", "I5"},
	"nack: what has hung too often goes on":           {"nack", " or hangs > 0 and m.hung >= hangs", "", "I5"},
	"counters: what is over is told":                  {"take", "if kept >= now then", "if true then", "I5"},
	"counters: what is over counts on":                {"nack", "if kept >= now then", "if true then", "I5"},
	"forget: counters of the living":                  {"forget", "if not m or m.kept < now or", "if true or", "I5"},
	"forget: nothing":                                 {"forget", "      record_forget(attempts, names, ids, field, value)\n", "", "I5"},
	"restore: to the tail":                            {"restore", "redis.call('LPUSH', KEYS[1], body)", "redis.call('RPUSH', KEYS[1], body)", "I1 I4"},
	"restore: dead and ready":                         {"restore", "redis.call('XDEL', KEYS[2], ARGV[i])", "redis.call('XLEN', KEYS[2])", "I1"},
	"restore: counters are forgotten":                 {"restore", "record_wait(KEYS[3], KEYS[6], KEYS[7], r[1], r[2], now)", "local _ = 1", "I5"},
	"redrive: dead and ready":                         {"redrive", "redis.call('XDEL', KEYS[4], entry)", "redis.call('XLEN', KEYS[4])", "I1"},
	"redrive: removed before it is copied":            {"redrive", "  return now, redis.call('RPUSH', KEYS[5], m.body)", "  return now, redis.call('LLEN', KEYS[5])", "I1"},
	"redrive: to the head":                            {"redrive", "redis.call('RPUSH', KEYS[5], m.body)", "redis.call('LPUSH', KEYS[5], m.body)", "I1 I4"},
	"redrive: the history is forgotten":               {"redrive", "history_add(m.history or '', entry, m, now)", "''", "I5"},
	"redrive: attempts go on":                         {"redrive", "r.due, r.digest = due,", "r.failed, r.due, r.digest = 1, due,", "I5"},
	"redrive: malformed ones too":                     {"redrive", "(m.reason ~= 'malformed' or ARGV[1] == '1')", "true", "I1"},
	"redrive: the delay is forgotten":                 {"redrive", "local due = now + tonumber(delay)", "local due = now", "I1 I7"},
	"redrive: the trace is forgotten":                 {"redrive", "if m.trace and #m.trace == 25 then", "if false then", "I7"},
}

// rare are mutants that are noticed after many runs only: the long form alone tries them.
var rare = []string{
	"counters: what is over counts on", "forget: counters of the living", "nack: the history is forgotten",
	"reap: a suspect in hand is charged", "choose: a suspect comes with others",
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
	sample = 16  // one of so many mutants is tried in the short form
)

// run plays one seed, and returns what the model found, "" for nothing.
func (k *kit) run(seed uint64) (found string) {
	w := newWorld(k.t.Context(), seeded{rand.New(rand.NewPCG(seed, 8))}, k.rdb, k.line)
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
	sources := map[string]*script.Script{}
	for _, s := range slices.Concat(lease.Scripts(), delayed.OfferScripts(), delayed.ServeScripts(), delayed.OperateScripts()) {
		sources[s.Name()] = s
	}
	runs := seeds
	if lab.LongForm() {
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
		if !lab.LongForm() && (i%sample != 0 || slices.Contains(rare, name)) {
			if original := sources[m.script]; original == nil || !strings.Contains(original.Source(), m.old) {
				t.Errorf("script %q does not have this text: %q", m.script, m.old)
			} else if err := lab.Shared.Client().ScriptLoad(t.Context(), strings.ReplaceAll(original.Source(), m.old, m.new)).Err(); err != nil {
				t.Errorf("the mutant %q does not compile: %v", name, err)
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
			k.put(original, script.New(m.script, strings.ReplaceAll(original.Source(), m.old, m.new)))
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
