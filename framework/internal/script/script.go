// Package script loads, joins, runs and paces the Lua scripts.
//
// A package that has scripts embeds a folder lua: scripts, and in lua/fragments what several
// of them share. What scripts of several packages share is here, in lua. Each file begins
// with a header (see the type header), which names the fragments that go before it; tests
// hold that against what the file uses.
package script

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/rediserr"
)

// Script is a Lua script that is sent by its digest and, when Redis does not
// hold it (after a restart, a failover or SCRIPT FLUSH), by its source. It is
// immutable and safe for concurrent use. Build it with [New].
type Script struct {
	name string
	src  string
	sha  string
}

// New returns the script src, called name in errors.
func New(name, src string) *Script {
	sum := sha1.Sum([]byte(src))
	return &Script{name: name, src: src, sha: hex.EncodeToString(sum[:])}
}

// Name returns the name used in errors.
func (s *Script) Name() string { return s.name }

// Source returns the Lua source.
func (s *Script) Source() string { return s.src }

// SHA returns the digest under which Redis caches the script.
func (s *Script) SHA() string { return s.sha }

// Run executes the script and returns its reply as go-redis decodes it (int64,
// string, []any, nil). A null reply is nil without an error. Errors of the
// server come back typed; see package rediserr.
//
// rdb must execute at once: for a pipeline use [RunAll].
func (s *Script) Run(ctx context.Context, rdb redis.Scripter, keys []string, args ...any) (any, error) {
	value, err := rdb.EvalSha(ctx, s.sha, keys, args...).Result()
	if rediserr.IsNoScript(err) {
		value, err = rdb.Eval(ctx, s.src, keys, args...).Result()
	}
	return s.reply(value, err)
}

func (s *Script) reply(value any, err error) (any, error) {
	if err == nil || errors.Is(err, redis.Nil) {
		return value, nil
	}
	return nil, s.Classify(err)
}

// Classify returns an error of this script typed, as [Script.Run] does.
func (s *Script) Classify(err error) error { return rediserr.ClassifyScript(s.name, s.src, err) }
