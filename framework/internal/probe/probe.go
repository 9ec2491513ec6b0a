package probe

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	probeScript        = library.Script("probe")
	probePublishScript = library.Script("probepublish")
	probeKeyScript     = script.New("probe of a key", "return 1")
)

// Scripts returns the scripts through which it asks, but the one that tries the commands of others.
func Scripts() []*script.Script {
	return []*script.Script{probeKeyScript, probePublishScript}
}

// Queue checks at start that the configured user may do what the scripts need on
// one queue: every key, every command of the scripts, publishing and subscribing
// on the channel. All refusals are returned together, each a [*fault.PermissionError]
// that says what to grant; see [errors.Join]. Other errors, of the network for
// example, are returned alone. Nothing in the queue changes.
func Queue(ctx context.Context, rdb redis.UniversalClient, k wire.Keys) error {
	denied, err := probeKeys(ctx, rdb, k)
	if err != nil || len(denied) > 0 {
		return join(denied, err)
	}
	if denied, err = probeCommands(ctx, rdb, k); err != nil {
		return join(denied, err)
	}
	if _, err := probePublishScript.Run(ctx, rdb, []string{k.Channel}); err != nil {
		p, ok := errors.AsType[*fault.PermissionError](err)
		if !ok {
			return join(denied, err)
		}
		if p.Channel = k.Channel; p.Command == "PUBLISH" && channelRefused(err) {
			p.Command = ""
		}
		denied = append(denied, p)
	}
	if err := probeSubscribe(ctx, rdb, k.Channel); err != nil {
		p, ok := errors.AsType[*fault.PermissionError](err)
		if !ok {
			return join(denied, err)
		}
		if p.Command == "" {
			p.Channel = k.Channel
		}
		denied = append(denied, p)
	}
	return join(denied, nil)
}

// probeKeys asks for each key alone, because Redis does not say which one it
// refuses.
func probeKeys(ctx context.Context, rdb redis.UniversalClient, k wire.Keys) (denied []error, err error) {
	names := append(k.All(), k.Fetches("probe"), k.Inflight("probe", "0"), k.Stage("probe"))
	calls := make([]script.Call, len(names))
	for i, key := range names {
		calls[i] = script.Call{Script: probeKeyScript, Keys: []string{key}}
	}
	for i, reply := range script.RunAll(ctx, rdb, calls) {
		if reply.Err == nil {
			continue
		}
		p, ok := errors.AsType[*fault.PermissionError](reply.Err)
		if !ok {
			return denied, reply.Err
		}
		if p.Command != "" {
			// EVAL or EVALSHA itself: the keys were not looked at.
			return append(denied, p), nil
		}
		p.Key = names[i]
		denied = append(denied, p)
	}
	return denied, nil
}

func probeCommands(ctx context.Context, rdb redis.UniversalClient, k wire.Keys) (denied []error, err error) {
	nothing := chance.Hex() + chance.Hex()
	value, err := probeScript.Run(ctx, rdb,
		[]string{k.Timeout, k.Pending, k.Queue, k.Stage("probe-" + nothing), k.Dead, k.Due}, nothing)
	if err != nil {
		return nil, err
	}
	r := script.NewReader(probeScript, value)
	seen := make(map[string]bool)
	for r.More() {
		command, text := r.Text(), r.Text()
		if r.Err() != nil {
			return nil, r.Err()
		}
		// Anything but a refusal means that the permission is there.
		if p, ok := errors.AsType[*fault.PermissionError](probeScript.Classify(rediserr.Answer(text))); ok && !seen[command] {
			seen[command] = true
			p.Command = command
			denied = append(denied, p)
		}
	}
	return denied, r.Err()
}

// probeSubscribe subscribes once and leaves again.
func probeSubscribe(ctx context.Context, rdb redis.UniversalClient, channel string) error {
	ps := rdb.Subscribe(ctx, channel)
	_, err := ps.ReceiveTimeout(ctx, 2*time.Second)
	return errors.Join(rediserr.Classify("SUBSCRIBE", err), ps.Close())
}

// channelRefused reports whether a refusal is about the channel, not the command.
func channelRefused(err error) bool {
	text := err.Error()
	return strings.Contains(text, "can't publish to the channel") ||
		strings.Contains(text, "permissions to access the") && strings.Contains(text, "channel") ||
		strings.Contains(text, "permissions to access a channel") ||
		strings.Contains(text, "access one of the channels")
}

func join(denied []error, err error) error {
	return errors.Join(append(denied, err)...)
}
