package engine

import (
	"context"
)

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
	err := j.session.Flush(ctx)
	if err == nil {
		var ours bool
		if ours, err = j.session.Begin(ctx, j.msg.Token); ours {
			r.suspects.Begun(j.ID(), j.Digest())
			r.log.WarnContext(ctx, "a message was in flight in two processes that died: it runs alone now", j.named()...)
			return true
		}
	}
	if err != nil {
		r.log.WarnContext(ctx, "suspect not started: Redis did not record its start", j.named("err", err)...)
	}
	return false
}

// leaveSolo ends the stay of a message that entered.
func (r *runner) leaveSolo(j *job) {
	if j.alone {
		r.suspects.LeaveAlone()
	} else {
		r.suspects.Leave()
	}
}

// quit ends the stay of a message among those that run in this process. That of a
// suspect ends only when Redis knows of its settlement: what runs next may kill the
// process, and what is still in flight then would be charged for that.
func (r *runner) quit(ctx context.Context, j *job) {
	if j.alone {
		r.suspects.Ended()
		r.persist(context.WithoutCancel(ctx), "ack", j.session.Flush)
	}
	r.leaveSolo(j)
}
