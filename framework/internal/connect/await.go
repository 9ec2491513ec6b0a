package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/probe"
)

const (
	firstPause = 100 * time.Millisecond // between tries of the first connection
	longPause  = 2 * time.Second
)

// Await reaches the server, trying again for RetryFor, and checks that it can serve. Its
// errors are those of framework.Open.
func (r *Redis) Await(ctx context.Context, rdb redis.UniversalClient) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < r.RetryFor {
		r.Log.WarnContext(ctx, "the start has less time than start_retry_for: it ends before (with fx, raise fx.StartTimeout above it)",
			"start_retry_for", r.RetryFor, "left", time.Until(end).Round(time.Millisecond))
	}
	giveUp := time.Now().Add(r.RetryFor)
	pause := firstPause
	for tries := 1; ; tries++ {
		err := rdb.Ping(ctx).Err()
		if err == nil {
			if err = r.checkServer(ctx, rdb); err == nil {
				r.introduce(ctx, rdb)
			}
			return err
		}
		if hint := r.sentinelHint(err); hint != "" {
			return &fault.RefusedError{Addr: r.Where(), Hint: hint, Err: err}
		}
		if answer, refused := refusal(err); refused {
			return &fault.RefusedError{Addr: r.Where(), Hint: refusalHint(answer), Err: err}
		}
		left := time.Until(giveUp)
		if left <= 0 || ctx.Err() != nil {
			return &fault.UnreachableError{Addr: r.Where(), Tries: tries, Ended: r.endedBy(ctx), Err: withCause(ctx, err)}
		}
		r.Log.WarnContext(ctx, "Redis does not answer yet", "addr", r.Where(), "try", tries, "left", left.Round(time.Millisecond), "err", err)
		select {
		case <-ctx.Done():
			return &fault.UnreachableError{Addr: r.Where(), Tries: tries, Ended: r.endedBy(ctx), Err: withCause(ctx, err)}
		case <-time.After(min(pause, left)):
			pause = min(2*pause, longPause)
		}
	}
}

// withCause adds why ctx has ended, where it has and err does not say so.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// endedBy says what ended the wait for a server.
func (r *Redis) endedBy(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return "the time for the start, which the caller gives (with fx it is fx.StartTimeout, 15 s by default)"
	case r.RetryFor > 0:
		return "start_retry_for: " + r.RetryFor.String()
	}
	return ""
}

// sentinelHint says what to do where the Sentinels themselves refuse; go-redis joins
// their answers behind "all sentinels specified in configuration are unreachable".
func (r *Redis) sentinelHint(err error) string {
	if !r.sentinel() || !strings.Contains(err.Error(), "all sentinels") {
		return ""
	}
	switch {
	case errors.Is(err, redis.Nil):
		return "the Sentinels know no master of this name: check redis.master_name"
	case strings.Contains(err.Error(), "NOAUTH"), strings.Contains(err.Error(), "WRONGPASS"):
		return "the Sentinels need their own login: check redis.sentinel_username and redis.sentinel_password"
	}
	return ""
}

// refusal tells an answer that stays the same from trouble that may pass: a server
// that is loading, or a cluster or master that is not complete yet.
func refusal(err error) (answer string, refused bool) {
	var reply redis.Error
	if !errors.As(err, &reply) {
		return "", false
	}
	answer = reply.Error()
	for _, passing := range []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "READONLY"} {
		if strings.HasPrefix(answer, passing) {
			return answer, false
		}
	}
	return answer, true
}

// checkServer checks the server's kind and version. A user who may not ask INFO is
// let through; what he may not do besides is found when the engine probes.
func (r *Redis) checkServer(ctx context.Context, rdb redis.UniversalClient) error {
	if r.Embedded {
		return nil // not a Redis with a version
	}
	info, err := rdb.Info(ctx, "server").Result()
	if _, refused := refusal(err); err != nil && !refused {
		return &fault.UnreachableError{Addr: r.Where(), Tries: 1, Err: err}
	}
	fields := InfoFields(info)
	// Valkey has another name for it, unless it is told to look like Redis.
	switch kind := cmp.Or(fields["redis_mode"], fields["server_mode"]); {
	case kind == "cluster" && !r.Options.IsClusterMode:
		return &fault.RefusedError{Addr: r.Where(), Hint: "it is a node of a cluster: set redis.mode to cluster"}
	case kind == "sentinel":
		return &fault.RefusedError{Addr: r.Where(), Hint: "it is a Sentinel: set redis.addrs to the Sentinels and redis.master_name to the master's name"}
	}
	return r.checkVersion(ctx, rdb)
}

func (r *Redis) checkVersion(ctx context.Context, rdb redis.UniversalClient) error {
	_, err := probe.Version(ctx, rdb)
	var old *probe.VersionError
	if errors.As(err, &old) {
		return &fault.VersionError{Addr: r.Where(), Version: old.Version, Err: err}
	}
	if answer, refused := refusal(err); refused {
		return &fault.RefusedError{Addr: r.Where(), Hint: refusalHint(answer), Err: err}
	}
	if err != nil {
		return &fault.UnreachableError{Addr: r.Where(), Tries: 1, Err: err}
	}
	return nil
}

// refusalHint says what to do about an answer of the server.
func refusalHint(answer string) string {
	for _, h := range []struct{ part, hint string }{
		{"NOAUTH", "set redis.password (and redis.username)"},
		{"WRONGPASS", "check redis.username and redis.password"},
		{"invalid password", "check redis.password"},
		{"without any password configured", "the server has no password: leave redis.password out"},
		{"NOPERM", "give the user the permission (ACL SETUSER)"},
		{"DB index is out of range", "redis.db is beyond the server's number of databases; if it is a cluster, set redis.mode to cluster and redis.db to 0"},
		{"cluster support disabled", "it is no cluster: leave redis.mode out"},
		{"SELECT is not allowed in cluster mode", "it is a cluster: set redis.mode to cluster and redis.db to 0"},
		{"unknown command 'cluster'", "it is no cluster: leave redis.mode out"},
		{"max number of clients", "raise the server's maxclients or close other clients"},
		{"DENIED", "the server is in protected mode: set a password on it, or bind it to this network"},
	} {
		if strings.Contains(answer, h.part) {
			return h.hint
		}
	}
	return "see the server's log"
}
