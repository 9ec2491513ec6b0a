package framework

import (
	"context"
	"time"
)

// suspect is a message that runs alone, or waits for it, see solo.
type suspect struct {
	id, digest string
	since      time.Time
}

// begin tells Redis that the handler of a suspect begins: from now on it is charged
// where this process dies, and not before, since until then it cannot be the cause.
// What is acknowledged is sent first, for this process may not live much longer. It
// reports false where the message may not start after all.
func (r *runner) begin(j *job) bool {
	if !j.alone {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.base), settleTimeout)
	defer cancel()
	err := j.holder.flush(ctx)
	if err == nil {
		var ours bool
		if ours, err = j.holder.sess.Begin(ctx, j.msg.Token); ours {
			s := &suspect{id: j.ID(), digest: j.Digest(), since: time.Now()}
			r.suspect.Store(s)
			r.log.WarnContext(ctx, "a message was in flight in two processes that died: it runs alone now", "id", s.id, "digest", s.digest)
			return true
		}
	}
	if err != nil {
		r.log.WarnContext(ctx, "suspect not started: Redis could not be told", "id", j.ID(), "err", err)
	}
	return false
}

// quit ends the stay of a message among those that run in this process. That of a
// suspect ends only when Redis knows of its settlement: what runs next may kill the
// process, and what is still in flight then would be charged for that.
func (r *runner) quit(ctx context.Context, j *job) {
	if j.alone {
		r.suspect.Store(nil)
		r.persist(context.WithoutCancel(ctx), "ack", j.holder.flush)
	}
	r.solo.leave(j.alone)
}
