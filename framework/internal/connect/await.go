package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
)

// Await reaches the server, trying again for RetryFor, and checks that it can serve. Its
// errors are those of framework.Open.
func (r *Redis) Await(ctx context.Context, rdb redisapi.Client) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < r.RetryFor {
		r.Log.WarnContext(ctx, "start_retry_for is longer than the start may take (with fx, raise fx.StartTimeout above it)",
			"start_retry_for", r.RetryFor, "left", time.Until(end).Round(time.Millisecond))
	}
	waiting := retry.Waiting{For: r.RetryFor, Passes: r.passes, Tell: func(ctx context.Context, tries int, left time.Duration, err error) {
		r.Log.WarnContext(ctx, "Redis does not answer yet", "addr", r.Where(), "try", tries, "left", left.Round(time.Millisecond), "err", err)
	}}
	node := rdb
	tries, err := waiting.Until(ctx, func() (err error) {
		if node, err = r.answering(ctx, rdb); err != nil {
			return err
		}
		return r.checkServer(ctx, node)
	})
	if err == nil {
		r.introduce(ctx, node)
		return nil
	}
	return r.failed(ctx, tries, err)
}

// answering returns a server that answers, of a Cluster any primary: the queues of those that are
// down stand still, the others are served.
func (r *Redis) answering(ctx context.Context, rdb redisapi.Client) (redisapi.Client, error) {
	if !redisapi.IsCluster(rdb) {
		return rdb, rdb.Ping(ctx).Err()
	}
	var up redisapi.Client
	var down []string
	var first error
	all := 0
	err := redisapi.EachPrimary(ctx, rdb, func(ctx context.Context, node redisapi.Client) error {
		all++
		if err := node.Ping(ctx).Err(); err != nil {
			first = cmp.Or(first, err)
			down = append(down, redisapi.OptionsOf(node).Addr)
			return nil
		}
		up = node
		return nil
	})
	if up == nil {
		return nil, cmp.Or(first, err, errors.New("the cluster names no primary"))
	}
	if len(down) > 0 {
		slices.Sort(down)
		r.Log.WarnContext(ctx, "some nodes of the cluster do not answer: queues on them stand still until they do", "down", down, "nodes", all, "err", first)
	}
	return up, nil
}

// passes reports whether it is worth to ask the server again: whatever is not its answer, and
// an answer that passes. A login that is refused stays refused, unless it is asked for anew for
// each connection.
func (r *Redis) passes(err error) bool {
	if r.sentinelHint(err) != "" || isFinal(err) {
		return false
	}
	if !errors.As(err, new(redis.Error)) {
		return true
	}
	if server, ok := errors.AsType[*fault.ServerError](rediserr.Classify("", err)); ok && server.Kind == fault.KindAuth {
		return r.Options.CredentialsProviderContext != nil
	}
	return rediserr.MayPass(err)
}

// isFinal reports the errors of Await itself.
func isFinal(err error) bool {
	return errors.As(err, new(*fault.RefusedError)) || errors.As(err, new(*fault.VersionError))
}

// failed returns the error of framework.Open for the last error of some tries.
func (r *Redis) failed(ctx context.Context, tries int, err error) error {
	if isFinal(err) {
		return err
	}
	if hint := r.sentinelHint(err); hint != "" {
		return &fault.RefusedError{Addr: r.Where(), Hint: hint, Err: err}
	}
	var answer redis.Error
	if errors.As(err, &answer) {
		hint := refusalHint(answer.Error())
		if ended := r.endedBy(ctx); rediserr.MayPass(err) && ended != "" {
			hint += fmt.Sprintf(" (it was tried %d times; what ended the waiting is %s)", tries, ended)
		}
		return &fault.RefusedError{Addr: r.Where(), Hint: hint, Err: withCause(ctx, err)}
	}
	return &fault.UnreachableError{Addr: r.Where(), Tries: tries, Ended: r.endedBy(ctx), Err: withCause(ctx, err)}
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

// checkServer checks the server's kind and version. A user who may not ask INFO is
// let through; what he may not do besides is found when the engine probes.
func (r *Redis) checkServer(ctx context.Context, rdb redisapi.Client) error {
	if r.Embedded {
		return nil // not a Redis with a version
	}
	info, err := rdb.Info(ctx, "server").Result()
	var refused redis.Error
	if err != nil && (rediserr.MayPass(err) || !errors.As(err, &refused)) {
		return err
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

func (r *Redis) checkVersion(ctx context.Context, rdb redisapi.Client) error {
	_, err := Version(ctx, rdb)
	var old *VersionError
	if errors.As(err, &old) {
		return &fault.VersionError{Addr: r.Where(), Version: old.Version, Err: err}
	}
	return err
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
		{"MISCONF", "the server cannot write its snapshot: see its log and its disk"},
		{"DENIED", "the server is in protected mode: set a password on it, or bind it to this network"},
	} {
		if strings.Contains(answer, h.part) {
			return h.hint
		}
	}
	if rediserr.MayPass(rediserr.Answer(answer)) {
		return "this passes by itself: try again, or let the start wait for it (start_retry_for: 30s; with fx, fx.StartTimeout must be longer)"
	}
	return "see the server's log"
}
