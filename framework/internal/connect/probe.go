package connect

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/chance"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
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

// probedAtOnce is how many queues are probed in one pipeline.
const probedAtOnce = 32

// ProbeQueues checks at start that the configured user may do what the scripts need on
// each queue: every key, every command of the scripts, publishing and subscribing
// on the channel. It returns an error or nil for each. All refusals of a queue are returned together, each a [*fault.PermissionError]
// that says what to grant; see [errors.Join]. Other errors, of the network for
// example, are returned alone, and end the looking. Nothing in the queues changes. further
// names the keys that a queue needs besides; it may be nil.
func ProbeQueues(ctx context.Context, rdb redisapi.Client, all []wire.Keys, further func(i int) []string) []error {
	errs := make([]error, len(all))
	names := make([][]string, len(all))
	for i, k := range all {
		if names[i] = namesOf(k); further != nil {
			names[i] = append(names[i], further(i)...)
		}
	}
	for at := 0; at < len(all); at += probedAtOnce {
		part := all[at:min(at+probedAtOnce, len(all))]
		for i, granted := range probeTogether(ctx, rdb, part, names[at:]) {
			if granted {
				continue
			}
			errs[at+i] = probeQueue(ctx, rdb, part[i], names[at+i])
			if _, refused := errors.AsType[*fault.PermissionError](errs[at+i]); errs[at+i] != nil && !refused {
				return errs
			}
		}
	}
	return errs
}

// probeTogether probes several queues in one pipeline. It reports which of them have all rights;
// the others are to be probed one by one, which tells what is missing.
func probeTogether(ctx context.Context, rdb redisapi.Client, all []wire.Keys, names [][]string) []bool {
	const each = 3
	calls := make([]script.Call, 0, each*len(all))
	for i, k := range all {
		calls = append(calls, script.Call{Script: probeKeyScript, Keys: names[i]}, commandsCall(k), script.Call{Script: probePublishScript, Keys: []string{k.Channel}})
	}
	granted := make([]bool, len(all))
	replies := script.RunAll(ctx, rdb, calls)
	var unheard []string // channels of which it is not known whether they may be subscribed to
	for i := range all {
		of := replies[each*i : each*(i+1)]
		denied, err := deniedCommands(of[1].Value)
		granted[i] = of[0].Err == nil && of[1].Err == nil && of[2].Err == nil && err == nil && len(denied) == 0
		if granted[i] && of[2].Value != "allowed" {
			unheard = append(unheard, all[i].Channel)
		}
	}
	if len(unheard) > 0 && probeSubscribe(ctx, rdb, unheard...) != nil {
		return make([]bool, len(all))
	}
	return granted
}

func probeQueue(ctx context.Context, rdb redisapi.Client, k wire.Keys, names []string) error {
	denied, err := probeKeys(ctx, rdb, names)
	if err != nil || len(denied) > 0 {
		return joinDenied(denied, err)
	}
	if denied, err = probeCommands(ctx, rdb, k); err != nil {
		return joinDenied(denied, err)
	}
	if _, err := probePublishScript.Run(ctx, rdb, []string{k.Channel}); err != nil {
		p, ok := errors.AsType[*fault.PermissionError](err)
		if !ok {
			return joinDenied(denied, err)
		}
		if p.Channel = k.Channel; p.Command == "PUBLISH" && channelRefused(err) {
			p.Command = ""
		}
		denied = append(denied, p)
	}
	if err := probeSubscribe(ctx, rdb, k.Channel); err != nil {
		p, ok := errors.AsType[*fault.PermissionError](err)
		if !ok {
			return joinDenied(denied, err)
		}
		if p.Command == "" {
			p.Channel = k.Channel
		}
		denied = append(denied, p)
	}
	return joinDenied(denied, nil)
}

func namesOf(k wire.Keys) []string {
	return append(k.All(), k.Fetches("probe"), k.Inflight("probe", "0"), k.Stage("probe"))
}

// probeKeys asks for each key alone, because Redis does not say which one it
// refuses.
func probeKeys(ctx context.Context, rdb redisapi.Client, names []string) (denied []error, err error) {
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

func commandsCall(k wire.Keys) script.Call {
	nothing := chance.Hex() + chance.Hex()
	return script.Call{
		Script: probeScript, Keys: []string{k.Timeout, k.Pending, k.Queue, k.Stage("probe-" + nothing), k.Dead, k.Due}, Args: []any{nothing},
	}
}

func probeCommands(ctx context.Context, rdb redisapi.Client, k wire.Keys) (denied []error, err error) {
	reply := script.RunAll(ctx, rdb, []script.Call{commandsCall(k)})[0]
	if reply.Err != nil {
		return nil, reply.Err
	}
	return deniedCommands(reply.Value)
}

// deniedCommands reads the reply of the script.
func deniedCommands(value any) (denied []error, err error) {
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

// ProbeChannel checks that the configured user may listen to a channel. A refusal is a
// [*fault.PermissionError].
func ProbeChannel(ctx context.Context, rdb redisapi.Client, channel string) error {
	err := probeSubscribe(ctx, rdb, channel)
	if p, ok := errors.AsType[*fault.PermissionError](err); ok && p.Command == "" {
		p.Channel = channel
	}
	return err
}

// probeSubscribe subscribes once and leaves again.
func probeSubscribe(ctx context.Context, rdb redisapi.Client, channels ...string) error {
	ps := redisapi.Subscribe(ctx, rdb, channels...)
	var err error
	for i := 0; i < len(channels) && err == nil; i++ {
		_, err = ps.ReceiveTimeout(ctx, 2*time.Second)
	}
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

func joinDenied(denied []error, err error) error {
	return errors.Join(append(denied, err)...)
}
