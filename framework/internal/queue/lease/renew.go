package lease

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// silent reports whether Redis has not confirmed the lease for a sixth of it. Then it is
// pinged before anything is sent that moves the lease on: over a connection that is half
// open Redis would hear us and we would not hear Redis, and each request would keep our
// messages from others for another lease.
func (s *Session) silent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registered && time.Until(s.validUntil) < s.opts.Lease*2/3-s.opts.Lease/6
}

// renewAtOnce is how many leases are renewed in one pipeline.
const renewAtOnce = 128

// Renewal is what came of the renewal of one lease. Lost means that others have reaped the
// session: what it took is theirs now, so running handlers should stop; the next Take
// reports it again and goes on afresh.
type Renewal struct {
	Lost bool
	Err  error
}

// RenewAll moves the ends of leases to one lease from now: of sessions of one client, those
// on the same node in one pipeline, so that a node that hangs costs no other its leases.
// Call it every third of the lease while messages are held. For sessions that have not
// taken yet it does nothing.
func RenewAll(ctx context.Context, sessions []*Session) []Renewal {
	out := make([]Renewal, len(sessions))
	groups := map[redisapi.Client][]int{}
	for i, s := range sessions {
		if !s.isRegistered() {
			continue
		}
		node, err := redisapi.Node(ctx, s.shared, s.keys.Queue)
		if err != nil {
			out[i].Err = err
			continue
		}
		groups[node] = append(groups[node], i)
	}
	var asked background.Parts
	for node, group := range groups {
		asked.Go(func() {
			for part := range slices.Chunk(group, renewAtOnce) {
				renewOn(ctx, node, sessions, part, out)
			}
		})
	}
	asked.Wait()
	return out
}

// Renew is [RenewAll] of one session.
func (s *Session) Renew(ctx context.Context) (lost bool, err error) {
	r := RenewAll(ctx, []*Session{s})[0]
	return r.Lost, r.Err
}

// renewOn renews those of one node. Where one is silent the node is pinged first.
func renewOn(ctx context.Context, node redisapi.Client, sessions []*Session, group []int, out []Renewal) {
	if slices.ContainsFunc(group, func(i int) bool { return sessions[i].silent() }) {
		if err := node.Ping(ctx).Err(); err != nil {
			for _, i := range group {
				out[i].Err = rediserr.Classify("PING", err)
			}
			return
		}
	}
	start := time.Now()
	calls, asked := make([]script.Call, len(group)), make([]renewing, len(group))
	for n, i := range group {
		s := sessions[i]
		s.mu.Lock()
		asked[n] = renewing{start: start, epoch: s.epoch, known: s.ledger.lists()}
		s.mu.Unlock()
		calls[n] = script.Call{Script: renewScript, Keys: s.renewKeys(), Args: []any{s.opts.SessionID, s.opts.Lease.Milliseconds(), "0"}}
	}
	for n, answer := range script.RunAll(ctx, sessions[group[0]].shared, calls) {
		i := group[n]
		out[i].Lost, out[i].Err = sessions[i].renewed(ctx, asked[n], answer)
	}
}

// renewing is a session when its renewal is asked for.
type renewing struct {
	start time.Time
	epoch uint64
	known int // fetches
}

// renewed takes the answer in.
func (s *Session) renewed(ctx context.Context, of renewing, answer script.Reply) (lost bool, err error) {
	if answer.Err != nil {
		return false, s.explain(ctx, answer.Err)
	}
	known, err := decodeRenewed(answer.Value)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	s.counted(known, of.known)
	s.mu.Unlock()
	if known.renewed {
		s.confirmed(of.start, known.now)
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.epoch != of.epoch {
		return false, nil // a take in between has registered the session again
	}
	s.ledger.forget()
	return true, nil
}

func (s *Session) renewKeys() []string { return []string{s.keys.Sessions, s.keys.Leases, s.fetches} }

func (s *Session) isRegistered() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registered
}

// counted notes how many sessions and fetches there are; known is how many of these this
// process knew of when it asked. Caller holds the lock.
func (s *Session) counted(r renewal, known int) {
	s.processes.Store(int64(r.processes))
	s.inRedis, s.strays = r.fetches, r.fetches < 0 || r.fetches > known
}

// Processes returns how many sessions the queue had when this one was renewed last, also
// by a wait; 0 before that.
func (s *Session) Processes() int { return int(s.processes.Load()) }

// Holds reports whether messages may be in flight under the session: it knows of some, or
// Redis did when it was asked last.
func (s *Session) Holds() bool {
	s.mu.Lock()
	there := s.inRedis != 0
	s.mu.Unlock()
	return there || s.ledger.holds()
}

// Strays reports whether Redis had more fetches of the session when it was asked last than
// were known here, or could not tell.
func (s *Session) Strays() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.strays
}

// renewal is an answer of the script.
type renewal struct {
	renewed            bool
	now                int64
	processes, fetches int
}

func decodeRenewed(reply any) (r renewal, err error) {
	parts, _ := reply.([]any)
	if len(parts) != 4 {
		return r, replyError(renewScript, "%v", reply)
	}
	known, _ := parts[0].(int64)
	text, _ := parts[1].(string)
	processes, _ := parts[2].(int64)
	fetches, _ := parts[3].(int64)
	if r.now, err = strconv.ParseInt(text, 10, 64); err != nil {
		return r, replyError(renewScript, "time %q", text)
	}
	r.renewed, r.processes, r.fetches = known == 1, int(processes), int(fetches)
	return r, nil
}
