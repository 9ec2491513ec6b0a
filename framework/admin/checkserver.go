package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// server is one examination of one server.
type server struct {
	rdb   redis.Cmdable
	found []Finding
}

func (s *server) add(check string, severity Severity, message, advice string) {
	s.found = append(s.found, Finding{Check: check, Severity: severity, Message: message, Advice: advice})
}

func (s *server) run(ctx context.Context) error {
	if err := s.clock(ctx); err != nil {
		return err
	}
	s.state(ctx)
	settings := map[string]string{}
	for _, name := range []string{"maxmemory", "maxmemory-policy", "appendonly", "appendfsync", "save"} {
		value, err := s.rdb.ConfigGet(ctx, name).Result()
		if err != nil {
			s.add("settings", SeverityInfo, "the settings of Redis cannot be read: "+err.Error(),
				"allow CONFIG GET to this user, or look for maxmemory-policy noeviction and appendonly yes yourself")
			return nil //nolint:nilerr // it is a finding
		}
		settings[name] = value[name]
	}
	s.settings(settings)
	return nil
}

// nearlyFull is the part of maxmemory from which on Redis is nearly full, in per cent.
const nearlyFull = 90

// state tells what stops offers now, or has lost messages.
func (s *server) state(ctx context.Context) {
	text, err := s.rdb.Info(ctx).Result()
	if err != nil {
		s.add("state", SeverityInfo, "the state of Redis cannot be read: "+err.Error(), "allow INFO to this user, or look at memory, evicted_keys and role yourself")
		return
	}
	s.judge(connect.InfoFields(text))
}

// judge tells what INFO says.
func (s *server) judge(info map[string]string) {
	number := func(name string) int64 { n, _ := strconv.ParseInt(info[name], 10, 64); return n }
	used, limit := number("used_memory"), number("maxmemory")
	switch more := "raise maxmemory, or drop dead letters and what else fills it; messages that are there are still handled"; {
	case limit <= 0:
	case used >= limit:
		s.add("memory", SeverityError, fmt.Sprintf("Redis is full, %d of %d bytes: it refuses offers, or deletes keys where maxmemory-policy lets it", used, limit), more)
	case used >= limit/100*nearlyFull:
		s.add("memory", SeverityWarning, fmt.Sprintf("Redis is nearly full, %d of %d bytes: it is about to refuse offers", used, limit), more)
	}
	if n := number("evicted_keys"); n > 0 {
		s.add("evicted", SeverityError, fmt.Sprintf("Redis has deleted %s since its start, for want of memory: messages, or whole queues, may be lost", count(n, "key", "keys")),
			"set maxmemory-policy noeviction and raise maxmemory, then offer anew what is missing; a restart of Redis resets the count")
	}
	for field, what := range map[string]string{"rdb_last_bgsave_status": "its last snapshot", "aof_last_write_status": "to its append-only file", "aof_last_bgrewrite_status": "its append-only file anew"} {
		if v := info[field]; v != "" && v != "ok" {
			s.add("disk", SeverityError, fmt.Sprintf("Redis could not write %s (%s:%s): it may refuse all writes (MISCONF)", what, field, v), "look at the disk of the server and at its log")
		}
	}
	s.replication(info)
	if info["role"] == "slave" {
		s.add("role", SeverityError, "this Redis is a replica: it refuses writes", "connect to its primary, or through Sentinel")
	}
	if info["loading"] == "1" {
		s.add("loading", SeverityWarning, "Redis is reading its data after a start", "wait: it answers when it is done")
	}
}

// clock compares the clock of Redis, by which due times count in Go, with that of
// this machine, by which they count in Java.
func (s *server) clock(ctx context.Context) error {
	before := time.Now()
	theirs, err := s.rdb.Time(ctx).Result()
	if err != nil {
		return err
	}
	ours := before.Add(time.Since(before) / 2)
	if skew := theirs.Sub(ours).Abs(); skew > skewAfter {
		s.add("clock", SeverityWarning, "the clocks of Redis and of this machine differ by "+words.Span(skew),
			"synchronise both (NTP): Java services count delays by their own clocks, Go services by that of Redis")
	}
	return nil
}

func (s *server) settings(m map[string]string) {
	limit, _ := strconv.ParseInt(m["maxmemory"], 10, 64)
	if policy := m["maxmemory-policy"]; policy != "noeviction" {
		severity, when := SeverityError, fmt.Sprintf("maxmemory is %d bytes", limit)
		if limit == 0 {
			severity, when = SeverityWarning, "as soon as maxmemory is set"
		}
		s.add("eviction", severity, fmt.Sprintf("maxmemory-policy is %s: Redis deletes whole queues when memory is short (%s)", policy, when),
			"set maxmemory-policy noeviction, so that offers are refused instead")
	}
	if m["appendonly"] != "yes" {
		text := "appendonly is off: a Redis that crashes loses what came since its last snapshot"
		if strings.TrimSpace(m["save"]) == "" {
			text = "appendonly is off and there are no snapshots: a Redis that restarts has lost all messages"
		}
		s.add("persistence", SeverityWarning, text, "set appendonly yes with appendfsync everysec, or always")
	} else if m["appendfsync"] == "no" {
		s.add("persistence", SeverityWarning, "appendfsync is no: a machine that crashes loses what the system had not written yet, up to 30 s",
			"set appendfsync everysec, or always")
	}
}

// replication reports replicas whose lag a failover would lose.
func (s *server) replication(info map[string]string) {
	if n := info["connected_slaves"]; info["role"] == "master" && n != "" && n != "0" {
		s.add("replication", SeverityInfo, n+" replicas: replication is asynchronous, a failover loses what they had not got",
			"set min-replicas-to-write and min-replicas-max-lag to bound that")
	}
}
