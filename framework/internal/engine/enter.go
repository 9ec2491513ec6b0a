package engine

import (
	"context"
	"time"
)

// startable returns the messages that may start, and those that are to go back. Where the
// intake has closed since the take these are the others together with those that wait
// behind them, so that one script keeps their order.
func (ws *handling) startable(js []*job) (kept, back []*job) {
	kept = js[:0]
	for _, j := range js {
		if j.begun = ws.admits(j); j.begun {
			kept = append(kept, j)
		} else {
			back = append(back, j)
		}
	}
	if len(back) == 0 {
		return kept, nil
	}
	for j := ws.jobs.tryPop(); j != nil; j = ws.jobs.tryPop() {
		if j.begun = ws.admits(j); j.begun { // of a later take, when the intake was open again
			ws.jobs.unpop([]*job{j})
			break
		}
		back = append(back, j)
	}
	return kept, back
}

// admits reports whether the message may start now. The gate is asked once about a
// probe, which may come here again.
func (ws *handling) admits(j *job) bool {
	if !j.owned() || ws.settling.returning.Open() {
		return false
	}
	return j.begun && j.permit.Probe() || ws.gate.Start(j.permit)
}

// stillOurs returns the messages that are this process's still, see job.ours, and those
// that are to go back.
func stillOurs(js []*job) (kept, back []*job) {
	kept = js[:0]
	now := time.Now()
	for _, j := range js {
		if j.ours(now) {
			kept = append(kept, j)
		} else {
			back = append(back, j)
		}
	}
	return kept, back
}

// Enter waits until messages may run beside what runs in this process now. What it does
// not return is settled. The gate is asked again after a wait, which may be long.
func (ws *handling) enter(js []*job) []*job {
	lead := js[0]
	var how entry
	if lead.alone {
		how = ws.suspects.EnterAlone(ws.base.Done())
	} else {
		how = ws.suspects.Enter(ws.base.Done())
	}
	switch how {
	case entered:
		return js
	case waited:
		ours, late := stillOurs(js)
		kept, back := ws.startable(ours)
		back = append(late, back...)
		if len(kept) > 0 && ws.settling.begin(lead) {
			ws.settling.returned(back)
			return kept
		}
		ws.settling.exit(lead) // before Redis is asked: others may go on meanwhile
		ws.settling.returned(append(back, kept...))
		return nil
	case enterLater:
		if lead.alone && lead.ours(time.Now()) && ws.admits(lead) {
			delay := ws.suspects.Postponement()
			if ws.settling.postpone(lead, delay) {
				ws.suspects.Postponed(lead.Digest(), delay)
				ws.log.Warn("suspect postponed: it must run alone, and the other queues of this process have their time first",
					lead.named("delay", delay)...)
			}
			return nil
		}
	case refused:
	}
	ws.settling.returned(js)
	return nil
}

// begin tells Redis that the handler of a suspect begins: from now on it is charged
// where this process dies, and not before, since until then it cannot be the cause.
// What is acknowledged is sent first, for this process may not live much longer. It
// reports false where the message may not start after all.
func (s *settling) begin(j *job) bool {
	if !j.alone {
		return true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.base), settleTimeout)
	defer cancel()
	err := j.session.Flush(ctx)
	if err == nil {
		var ours bool
		if ours, err = j.session.Begin(ctx, j.msg.Token); ours {
			s.suspects.Begun(j.ID(), j.Digest())
			s.log.WarnContext(ctx, "a message was in flight in two processes that died: it runs alone now", j.named()...)
			return true
		}
	}
	if err != nil {
		s.log.WarnContext(ctx, "suspect not started: Redis did not record its start", j.named("err", err)...)
	}
	return false
}

// exit ends the stay of a message that entered.
func (s *settling) exit(j *job) {
	if j.alone {
		s.suspects.LeaveAlone()
	} else {
		s.suspects.Leave()
	}
}

// exitSettled ends the stay of a message among those that run in this process. That of a
// suspect ends only when Redis knows of its settlement: what runs next may kill the
// process, and what is still in flight then would be charged for that.
func (s *settling) exitSettled(ctx context.Context, j *job) {
	if j.alone {
		s.suspects.Ended()
		s.persist(context.WithoutCancel(ctx), "ack", j.session.Flush)
	}
	s.exit(j)
}
