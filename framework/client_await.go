package framework

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	firstPause = 100 * time.Millisecond // between tries of the first connection
	longPause  = 2 * time.Second
)

// await reaches the server, trying again for as long as the configuration allows,
// and checks that it can serve.
func (c *Client) await(ctx context.Context) error {
	giveUp := time.Now().Add(c.cfg.StartRetryFor)
	pause := firstPause
	for tries := 1; ; tries++ {
		err := c.rdb.Ping(ctx).Err()
		if err == nil {
			return c.checkServer(ctx)
		}
		if c.cfg.Redis.Mode == ModeSentinel && errors.Is(err, redis.Nil) {
			return &RefusedError{Addr: c.where, Hint: "the Sentinels know no master of this name: check redis.master_name", Err: err}
		}
		if answer, refused := refusal(err); refused {
			return &RefusedError{Addr: c.where, Hint: refusalHint(answer), Err: err}
		}
		left := time.Until(giveUp)
		if left <= 0 || ctx.Err() != nil {
			return &UnreachableError{Addr: c.where, Tries: tries, Err: err}
		}
		c.log.WarnContext(ctx, "Redis does not answer yet", "addr", c.where, "try", tries, "left", left.Round(time.Millisecond), "error", err)
		select {
		case <-ctx.Done():
			return &UnreachableError{Addr: c.where, Tries: tries, Err: errors.Join(context.Cause(ctx), err)}
		case <-time.After(min(pause, left)):
			pause = min(2*pause, longPause)
		}
	}
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

// checkServer checks the server's version and kind. A user who may not ask INFO is
// let through with a warning: the probe of the scripts' commands finds what is missing.
func (c *Client) checkServer(ctx context.Context) error {
	if c.embedded {
		return nil // not a Redis with a version
	}
	info, err := c.rdb.Info(ctx, "server").Result()
	if answer, refused := refusal(err); refused {
		c.log.WarnContext(ctx, "the version of Redis is unknown: INFO is not allowed", "addr", c.where, "answer", answer)
		return nil
	}
	if err != nil {
		return &UnreachableError{Addr: c.where, Tries: 1, Err: err}
	}
	switch kind := infoValue(info, "redis_mode"); {
	case kind == "cluster" && !c.cluster:
		return &RefusedError{Addr: c.where, Hint: "it is a node of a cluster: set redis.mode to cluster"}
	case kind == "sentinel":
		return &RefusedError{Addr: c.where, Hint: "it is a Sentinel: set redis.addrs to the Sentinels and redis.master_name to the master's name"}
	}
	version := infoValue(info, "redis_version")
	if infoValue(info, "server_name") != "valkey" && olderThan(version, MinRedisVersion) {
		return &VersionError{Addr: c.where, Version: version}
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

// olderThan compares major.minor. A version that cannot be read is not old.
func olderThan(version, least string) bool {
	major, minor, ok := majorMinor(version)
	if !ok {
		return false
	}
	wantMajor, wantMinor, _ := majorMinor(least)
	return major < wantMajor || major == wantMajor && minor < wantMinor
}

func majorMinor(version string) (major, minor int, ok bool) {
	a, rest, _ := strings.Cut(version, ".")
	b, _, _ := strings.Cut(rest, ".")
	major, err1 := strconv.Atoi(a)
	minor, err2 := strconv.Atoi(b)
	return major, minor, err1 == nil && err2 == nil
}
