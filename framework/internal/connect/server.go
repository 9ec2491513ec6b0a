package connect

import (
	"context"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/redisapi"
)

// serverState is what a server says of itself. What it was not allowed to be asked is "".
type serverState struct {
	kind, version string // Redis or Valkey
	role          string // master, slave
	policy        string // of eviction
	appendOnly    string // 1, 0
	appendSync    string // always, everysec, no
	snapshots     string // when they are taken, "" for never
	asked         bool   // INFO was answered
	mayBeAsked    bool   // CONFIG was
}

// introduce logs which server this is, and warns of settings that lose messages. A user
// who may not ask INFO or CONFIG is told so at DEBUG only: it may be wanted.
func (r *Redis) introduce(ctx context.Context, rdb redisapi.Client) {
	if r.Embedded {
		return
	}
	s := r.stateOf(ctx, rdb)
	r.Log.InfoContext(ctx, "Redis answers", "addr", r.Where(), "server", s.kind, "version", s.version, "mode", r.mode(),
		"role", s.role, "persistence", s.persistence(), "eviction", s.policy)
	if !s.asked || !s.mayBeAsked {
		r.Log.DebugContext(ctx, "this Redis user may not read all settings: those that may lose messages were not checked", "info", s.asked, "config", s.mayBeAsked)
	}
	if s.role == "slave" {
		r.Log.WarnContext(ctx, "the address leads to a replica, which refuses writes: use the primary's, or Sentinel", "addr", r.Where())
	}
	if s.policy != "" && s.policy != "noeviction" {
		r.Log.WarnContext(ctx, "Redis deletes whole queues when its memory is full: set maxmemory-policy noeviction", "eviction", s.policy)
	}
	switch s.persistence() {
	case "none":
		r.Log.WarnContext(ctx, "Redis keeps nothing on disk, so a restart loses all messages: set appendonly yes", "addr", r.Where())
	case "snapshots":
		r.Log.WarnContext(ctx, "Redis keeps snapshots only, so a restart loses what came after the last one: set appendonly yes", "addr", r.Where())
	case "aof, appendfsync no":
		r.Log.WarnContext(ctx, "appendfsync is no, so a power failure loses up to half a minute of writes: set appendfsync everysec", "addr", r.Where())
	}
}

// persistence says in words what survives a restart, "" where that is not known.
func (s *serverState) persistence() string {
	switch {
	case s.appendOnly == "1" && s.appendSync != "":
		return "aof, appendfsync " + s.appendSync
	case s.appendOnly == "1":
		return "aof"
	case s.appendOnly == "" || !s.mayBeAsked:
		return ""
	case s.snapshots == "":
		return "none"
	default:
		return "snapshots"
	}
}

// stateOf asks the server, and leaves out what it refuses to say.
func (r *Redis) stateOf(ctx context.Context, rdb redisapi.Client) *serverState {
	s := &serverState{kind: "Redis"}
	if info, err := rdb.Info(ctx).Result(); err == nil {
		s.asked = true
		fields := InfoFields(info)
		s.version = fields["redis_version"]
		if v := fields["valkey_version"]; v != "" {
			s.kind, s.version = "Valkey", v
		}
		s.role = fields["role"]
		s.policy = fields["maxmemory_policy"]
		s.appendOnly = fields["aof_enabled"]
	}
	set, err := rdb.ConfigGet(ctx, "appendfsync").Result()
	if err != nil {
		return s // a second refusal says no more
	}
	s.mayBeAsked, s.appendSync = true, set["appendfsync"]
	if set, err = rdb.ConfigGet(ctx, "save").Result(); err == nil {
		s.snapshots = strings.TrimSpace(set["save"])
	}
	return s
}
