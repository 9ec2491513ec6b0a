package lease

import (
	"context"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// refundChunk bounds the arguments of one refund.
const refundChunk = 500

// Refund takes one failure back from each of the given payloads, never below none:
// those whose failures turned out to be somebody else's outage. fields are
// [redisson.AttemptsField] of the payloads. It returns how many counts went down. A
// call that is repeated after an error may take back twice.
func Refund(ctx context.Context, rdb Scripter, keys redisson.Keys, fields []string) (int, error) {
	total := 0
	for len(fields) > 0 {
		chunk := fields[:min(len(fields), refundChunk)]
		fields = fields[len(chunk):]
		args := make([]any, len(chunk))
		for i, f := range chunk {
			args[i] = f
		}
		reply, err := refundScript.Run(ctx, rdb, []string{keys.Attempts}, args...)
		if err != nil {
			return total, err
		}
		n, _ := reply.(int64)
		total += int(n)
	}
	return total, nil
}

// Refund is the function [Refund] for the session's queue.
func (s *Session) Refund(ctx context.Context, fields []string) (int, error) {
	return Refund(ctx, s.shared, s.keys, fields)
}
