package framework

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/probe"
)

const (
	firstPause = 100 * time.Millisecond // between tries of the first connection
	longPause  = 2 * time.Second
)

// await reaches the server, trying again for as long as the configuration allows,
// and checks that it can serve.
func (c *Client) await(ctx context.Context) error {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < c.cfg.StartRetryFor {
		c.log.WarnContext(ctx, "the start has less time than start_retry_for: it ends before (with fx, raise fx.StartTimeout above it)",
			"start_retry_for", c.cfg.StartRetryFor, "left", time.Until(end).Round(time.Millisecond))
	}
	giveUp := time.Now().Add(c.cfg.StartRetryFor)
	pause := firstPause
	for tries := 1; ; tries++ {
		err := c.rdb.Ping(ctx).Err()
		if err == nil {
			if err = c.checkServer(ctx); err == nil {
				c.introduce(ctx)
			}
			return err
		}
		if hint := c.sentinelHint(err); hint != "" {
			return &RefusedError{Addr: c.where, Hint: hint, Err: err}
		}
		if answer, refused := refusal(err); refused {
			return &RefusedError{Addr: c.where, Hint: refusalHint(answer), Err: err}
		}
		left := time.Until(giveUp)
		if left <= 0 || ctx.Err() != nil {
			return &UnreachableError{Addr: c.where, Tries: tries, Ended: c.endedBy(ctx), Err: withCause(ctx, err)}
		}
		c.log.WarnContext(ctx, "Redis does not answer yet", "addr", c.where, "try", tries, "left", left.Round(time.Millisecond), "err", err)
		select {
		case <-ctx.Done():
			return &UnreachableError{Addr: c.where, Tries: tries, Ended: c.endedBy(ctx), Err: withCause(ctx, err)}
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
func (c *Client) endedBy(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return "the time for the start, which the caller gives (with fx it is fx.StartTimeout, 15 s by default)"
	case c.cfg.StartRetryFor > 0:
		return "start_retry_for: " + c.cfg.StartRetryFor.String()
	}
	return ""
}

// sentinelHint says what to do where the Sentinels themselves refuse; go-redis joins
// their answers behind "all sentinels specified in configuration are unreachable".
func (c *Client) sentinelHint(err error) string {
	if c.cfg.Redis.Mode != ModeSentinel || !strings.Contains(err.Error(), "all sentinels") {
		return ""
	}
	switch {
	case errors.Is(err, redis.Nil):
		return "the Sentinels know no master of this name: check redis.master_name"
	case strings.Contains(err.Error(), "NOAUTH"), strings.Contains(err.Error(), "WRONGPASS"):
		return "the Sentinels want a login of their own: check redis.sentinel_username and redis.sentinel_password"
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
func (c *Client) checkServer(ctx context.Context) error {
	if c.embedded {
		return nil // not a Redis with a version
	}
	info, err := c.rdb.Info(ctx, "server").Result()
	if _, refused := refusal(err); err != nil && !refused {
		return &UnreachableError{Addr: c.where, Tries: 1, Err: err}
	}
	// Valkey has a name of its own for it, unless it is told to look like Redis.
	switch kind := cmp.Or(infoValue(info, "redis_mode"), infoValue(info, "server_mode")); {
	case kind == "cluster" && !c.cluster:
		return &RefusedError{Addr: c.where, Hint: "it is a node of a cluster: set redis.mode to cluster"}
	case kind == "sentinel":
		return &RefusedError{Addr: c.where, Hint: "it is a Sentinel: set redis.addrs to the Sentinels and redis.master_name to the master's name"}
	}
	return c.checkVersion(ctx)
}

func (c *Client) checkVersion(ctx context.Context) error {
	_, err := probe.Version(ctx, c.rdb)
	var old *probe.VersionError
	if errors.As(err, &old) {
		return &VersionError{Addr: c.where, Version: old.Version, Err: err}
	}
	if answer, refused := refusal(err); refused {
		return &RefusedError{Addr: c.where, Hint: refusalHint(answer), Err: err}
	}
	if err != nil {
		return &UnreachableError{Addr: c.where, Tries: 1, Err: err}
	}
	return nil
}

// infoValue finds one line of an INFO reply.
func infoValue(info, key string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
