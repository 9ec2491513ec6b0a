package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// RedisKill ends a server by SIGKILL. Heal starts it again on the same port and data,
// and returns when it has loaded them.
func RedisKill(s *Server) Fault {
	f := &simple{state: state{name: "Redis kill -9, AOF " + string(s.fsync()), unit: "servers killed"}}
	f.begin = func(context.Context) error {
		if !s.Running() {
			return ErrNoTarget
		}
		if err := s.Kill(); err != nil {
			return err
		}
		f.effects.Add(1)
		return nil
	}
	f.end = s.Restart
	return f
}

// RedisRestart ends a server in good order (SIGTERM); Heal starts it again.
func RedisRestart(s *Server) Fault {
	f := &simple{state: state{name: "Redis restart", unit: "servers restarted"}}
	f.begin = func(ctx context.Context) error {
		if !s.Running() {
			return ErrNoTarget
		}
		if err := s.process().End(ctx, stopPatience); err != nil {
			return err
		}
		f.effects.Add(1)
		return nil
	}
	f.end = s.Restart
	return f
}

// RedisPause stops a server by SIGSTOP: connections stay open and nothing answers.
func RedisPause(s *Server) Fault {
	return Pause("Redis SIGSTOP", s.Target())
}

// ScriptFlush makes a server forget all scripts. It has no duration. A server that
// knows none is [ErrNoTarget].
func ScriptFlush(s *Server) Fault {
	f := &simple{state: state{name: "SCRIPT FLUSH", unit: "scripts forgotten"}, momentary: true}
	f.begin = func(ctx context.Context) error {
		text, err := infoField(ctx, s.client, "memory", "number_of_cached_scripts")
		if err != nil {
			return err
		}
		known, err := strconv.Atoi(text)
		if err != nil || known == 0 {
			return fmt.Errorf("%w: the server knows %q scripts", ErrNoTarget, text)
		}
		if err := s.client.ScriptFlush(ctx).Err(); err != nil {
			return err
		}
		f.effects.Add(int64(known))
		return nil
	}
	return f
}

// FullMemory makes a server refuse whatever needs memory (OOM) from the first command
// to the last: its limit is set to half of what it uses, without eviction, so that
// emptying queues does not end the fault. A restart ends it: the limit is not written
// down. Heal puts the limit and the policy back.
func FullMemory(s *Server) Fault {
	return refusing(s, "full memory, noeviction", "commands refused with OOM", "OOM", func(ctx context.Context) (map[string]string, error) {
		used, err := infoField(ctx, s.client, "memory", "used_memory")
		if err != nil {
			return nil, err
		}
		bytes, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("INFO memory says %q bytes are used", used)
		}
		return map[string]string{"maxmemory-policy": "noeviction", "maxmemory": strconv.FormatInt(bytes/2, 10)}, nil
	})
}

// NoReplicas makes a server refuse writes (NOREPLICAS), as one does whose replicas
// are gone and whose min-replicas-to-write demands some. Unlike [FullMemory] it also
// refuses what only removes, in scripts too.
func NoReplicas(s *Server) Fault {
	return refusing(s, "replicas gone, min-replicas-to-write", "commands refused with NOREPLICAS", "NOREPLICAS", func(context.Context) (map[string]string, error) {
		return map[string]string{"min-replicas-to-write": "100"}, nil
	})
}

// refusing is a fault made by CONFIG SET, after which writes are refused with code.
func refusing(s *Server, name, unit, code string, settings func(context.Context) (map[string]string, error)) Fault {
	f := &simple{state: state{name: name, unit: unit}}
	refused := refusal{codes: []string{code}}
	var before map[string]string
	f.begin = func(ctx context.Context) error {
		change, err := settings(ctx)
		if err != nil {
			return err
		}
		before = map[string]string{}
		for key := range change {
			old, failed := s.client.ConfigGet(ctx, key).Result()
			if failed != nil {
				return failed
			}
			before[key] = old[key]
		}
		if err = configSet(ctx, s.client, change); err == nil {
			err = refused.begin(ctx, s.client)
		}
		if err != nil {
			return errors.Join(err, configSet(ctx, s.client, before))
		}
		return nil
	}
	f.end = func(ctx context.Context) error {
		n, err := refused.since(ctx, s.client)
		if err != nil {
			return err
		}
		f.effects.Add(int64(n))
		refused.before += n // a Heal that fails below counts no reply twice
		if err := configSet(ctx, s.client, before); err != nil {
			return err
		}
		return writable(ctx, s.client)
	}
	return f
}

func configSet(ctx context.Context, rdb *redis.Client, settings map[string]string) error {
	for key, value := range settings {
		if err := rdb.ConfigSet(ctx, key, value).Err(); err != nil {
			return fmt.Errorf("CONFIG SET %s %s: %w", key, value, err)
		}
	}
	return nil
}

// writable waits until a write succeeds.
func writable(ctx context.Context, rdb *redis.Client) error {
	return await(ctx, func() error {
		err := rdb.Set(ctx, probeKey, "", 0).Err()
		if err == nil {
			return rdb.Del(ctx, probeKey).Err()
		}
		return fmt.Errorf("%w: %w", errNotYet, err)
	})
}

// tagged returns a name beside key that a cluster keeps in the same slot.
func tagged(key, suffix string) string {
	if open := strings.IndexByte(key, '{'); open >= 0 && strings.IndexByte(key[open:], '}') > 1 {
		return key + ":" + suffix
	}
	return "{" + key + "}:" + suffix
}
