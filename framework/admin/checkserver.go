package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/connect"
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
	return s.replication(ctx)
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
		s.add("clock", SeverityWarning, fmt.Sprintf("the clocks of Redis and of this machine differ by %v", skew.Round(time.Millisecond)),
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

// replication tells of replicas whose lag a failover would lose.
func (s *server) replication(ctx context.Context) error {
	text, err := s.rdb.Info(ctx, "replication").Result()
	if err != nil {
		return nil //nolint:nilerr // a user who may not ask: nothing to report
	}
	info := connect.InfoFields(text)
	if n := info["connected_slaves"]; info["role"] == "master" && n != "" && n != "0" {
		s.add("replication", SeverityInfo, n+" replicas: replication is asynchronous, a failover loses what they had not got",
			"set min-replicas-to-write and min-replicas-max-lag to bound that")
	}
	return nil
}
