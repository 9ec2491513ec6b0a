package delayed

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// MaxSample is the longest payload that [Sample] returns; longer ones are left out.
const MaxSample = 64 << 10

var sampleScript = library.Script("sample")

// Sampled are a few payloads that lie in a queue.
type Sampled struct {
	Pending [][]byte // of elements in any layout
	Ready   [][]byte
	Java    int // how many of Pending, its first ones, Redisson offered
}

// Sample returns up to nine payloads each of what is pending and what is ready: of the
// head, the middle and the tail. emptyOK is as in [wire.Parse]. Elements of no layout, and
// what is longer than [MaxSample], are left out. Errors are those of [script.Script.Run].
func Sample(ctx context.Context, rdb redis.Scripter, k wire.Keys, emptyOK bool) (Sampled, error) {
	value, err := sampleScript.Run(ctx, rdb, []string{k.Timeout, k.Queue}, MaxSample)
	if err != nil {
		return Sampled{}, err
	}
	parts, _ := value.([]any)
	if len(parts) != 2 {
		return Sampled{}, &script.ReplyError{Script: sampleScript.Name(), Reason: "does not have two parts"}
	}
	var s Sampled
	var ours [][]byte
	for _, raw := range textsOf(parts[0]) {
		_, payload, err := wire.Parse([]byte(raw), emptyOK)
		switch {
		case err != nil:
		case raw[0] == 7: // the universal element, which Go writes
			ours = append(ours, payload)
		default:
			s.Pending = append(s.Pending, payload)
		}
	}
	s.Java = len(s.Pending)
	s.Pending = append(s.Pending, ours...)
	for _, raw := range textsOf(parts[1]) {
		s.Ready = append(s.Ready, []byte(raw))
	}
	return s, nil
}

func textsOf(list any) []string {
	items, _ := list.([]any)
	out := make([]string, 0, len(items))
	for _, item := range items {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
