package framework

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Health is how an engine stands at one moment.
type Health struct {
	// Live is false only when the engine was stopped.
	Live bool `json:"live"`
	// Ready is whether this process can serve every queue. It is false before the start
	// and from the stop on, where Redis is not reachable or does not permit what is
	// needed, where a queue cannot be taken from or transferred, where the lease was not
	// confirmed in time, where payloads in a row could not be decoded, and where too many
	// handlers hang. It is true again within a second, or one wait in Redis (Config.Block)
	// and a second, after the cause is gone, though no message comes.
	Ready bool `json:"ready"`
	// Reasons says why not, one line per cause.
	Reasons []string `json:"reasons,omitempty"`
	// Degraded says what holds messages up though this process serves their queue, one
	// line per cause: an open breaker, a rate limit that is used up, a pause, suspects
	// that wait for their turn. It does not make Ready false: whatever else the process
	// serves, such as an API, shall go on. See [BreakerUnready].
	Degraded []string `json:"degraded,omitempty"`
	// Drain is set from the moment on at which the engine stops.
	Drain *DrainHealth `json:"drain,omitempty"`
	// Queues has every queue in the order of codes.
	Queues []QueueHealth `json:"queues"`
}

// DrainHealth is how far the stop of an engine has come. What it waits for is in
// QueueHealth.Running.
type DrainHealth struct {
	Since time.Time `json:"since"`
	// Until is when handlers that still run are cancelled.
	Until time.Time `json:"until"`
	// Hurried is set where the caller wanted no more waiting, see [Engine.Stop].
	Hurried bool `json:"hurried,omitempty"`
}

// QueueHealth is how one queue stands in this process.
type QueueHealth struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	// Intake says whether messages are taken: [IntakeOpen], [IntakeProbing] or
	// [IntakeClosed]. Empty where this process does not handle the queue.
	Intake Intake `json:"intake,omitempty"`
	// Reason says why the intake is not open, or why it waits: [BecauseBreaker] and its
	// neighbours. Empty while messages flow.
	Reason IntakeReason `json:"reason,omitempty"`
	// Until is when a closed intake is tried again, a limited one goes on.
	Until *time.Time `json:"until,omitempty"`
	// Paused is set where the queue is paused in this process.
	Paused *PauseInfo `json:"paused,omitempty"`
	// Running counts messages at work, Zombies the handlers given up on that have not
	// returned yet: past timeout and grace, or left behind by a stop.
	Running int `json:"running"`
	Zombies int `json:"zombies,omitempty"`
	// Hung names the messages of zombies, the oldest [MaxHung] of them.
	Hung []HungHandler `json:"hung,omitempty"`
	// Suspect is set while messages that were in flight in two processes that died run
	// here, with nothing else beside them, or wait for that.
	Suspect *SuspectHealth `json:"suspect,omitempty"`
	// HeldSince is set while no handler of this queue is started since a suspect, of this
	// or another queue, runs alone in this process or is about to.
	HeldSince *time.Time `json:"held_since,omitempty"`
	// LastError is the handler's last counted failure or the take's trouble.
	LastError string `json:"last_error,omitempty"`
	// TransferredAt is when due messages were last looked for with success.
	TransferredAt time.Time `json:"transferred_at"`
	// TransferOnly is set where this process does not handle the queue.
	TransferOnly bool `json:"transfer_only,omitempty"`
}

// MaxHung is how many hung handlers of a queue its health names at most.
const MaxHung = 16

// HungHandler is a handler that was given up on and has not returned.
type HungHandler struct {
	// ID is that of the message, empty where unknown; of a batch its first.
	ID string `json:"id,omitempty"`
	// Digest names the payload in traces and logs; of a batch its first.
	Digest    string    `json:"digest"`
	StartedAt time.Time `json:"started_at"`
	GivenUpAt time.Time `json:"given_up_at"`
}

// SuspectHealth tells of messages that may kill the process: one runs at a time, alone.
type SuspectHealth struct {
	// ID, Digest and StartedAt are of the one that runs now, zero where none does.
	ID        string    `json:"id,omitempty"`
	Digest    string    `json:"digest,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	// Waiting counts those that wait for their turn, in this process or, put off by it,
	// in Redis; WaitingSince is since when the first does.
	Waiting      int        `json:"waiting,omitempty"`
	WaitingSince *time.Time `json:"waiting_since,omitempty"`
	// NextAt is when the next may begin here at the earliest, where the other queues
	// have their time first.
	NextAt *time.Time `json:"next_at,omitempty"`
}

// Health returns how the engine stands now. It asks Redis nothing.
func (e *Engine) Health() Health {
	e.mu.Lock()
	state, queues, watcher := e.state, e.queues, e.watcher
	e.mu.Unlock()
	h := Health{Live: state != stateStopped, Ready: true, Drain: e.draining.Load().health(), Queues: []QueueHealth{}}
	switch state {
	case stateNew:
		h.because("not started yet")
	case stateStopping:
		h.because("stopping")
	case stateStopped:
		h.because("stopped")
	case stateRunning:
	}
	if watcher == nil {
		return h
	}
	wh := watcher.Health()
	for i, s := range queues {
		h.Queues = append(h.Queues, s.health(&h, wh.Queues[i], state == stateStopping || state == stateStopped))
	}
	return h
}

// health describes one queue and adds to the reasons of h what keeps it from
// being served.
func (s *served) health(h *Health, w redisson.QueueHealth, stopping bool) QueueHealth {
	q := QueueHealth{
		Code: s.consumer.Code(), Title: s.consumer.queue.Title(),
		TransferredAt: w.LastSuccess, TransferOnly: s.runner == nil,
	}
	if w.Failures > 0 && w.LastError != nil {
		q.LastError = errText(w.LastError)
		h.because("%s: due messages cannot be moved: %v", q.Code, w.LastError)
	}
	r := s.runner
	if r == nil {
		return q
	}
	g := r.gate.Snapshot()
	q.Intake, q.Reason = r.intakeOf(g, stopping)
	if !g.Until.IsZero() {
		q.Until = &g.Until
	}
	q.Running, q.Zombies = r.pool.counts()
	q.Hung, q.Suspect = r.pool.hungHealth(), r.suspectHealth()
	if since := r.lane.heldSince(); !since.IsZero() {
		q.HeldSince = &since
	}
	if s := q.Suspect; s != nil && s.Waiting > 0 {
		h.degrade("%s: %d suspects wait to run alone, since %s", q.Code, s.Waiting, s.WaitingSince.UTC().Format(time.RFC3339))
	}
	if g.LastError != "" {
		q.LastError = g.LastError
	}
	q.Paused = pausedInfo(g.Paused)
	if trouble := r.trouble.cause(); trouble != nil {
		q.LastError = errText(trouble)
	}
	r.whyUnready(h, g)
	r.whyDegraded(h, g)
	if f := s.foreign.Load(); f != nil && f.wrong() {
		h.degrade("%v", f)
	}
	return q
}

// hungHealth names the zombies, the oldest first.
func (p *pool) hungHealth() []HungHandler {
	zs := p.hanging()
	if len(zs) == 0 {
		return nil
	}
	out := make([]HungHandler, min(len(zs), MaxHung))
	for i := range out {
		z := zs[i]
		out[i] = HungHandler{ID: z.id, Digest: z.digest, StartedAt: z.started, GivenUpAt: z.since}
	}
	return out
}

func (d *draining) health() *DrainHealth {
	if d == nil {
		return nil
	}
	return &DrainHealth{Since: d.since, Until: d.handlers, Hurried: d.hurried()}
}

// HealthHandler serves the engine's health: /livez answers 200 while the process
// should go on running, /readyz 200 while every queue can be served, otherwise 503.
// Both bodies are the [Health] as JSON.
func (e *Engine) HealthHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		h := e.Health()
		writeHealth(w, h, h.Live)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		h := e.Health()
		writeHealth(w, h, h.Ready)
	})
	return mux
}

func writeHealth(w http.ResponseWriter, h Health, ok bool) {
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(h) // the client went away: nobody to tell
}

func (h *Health) because(format string, args ...any) {
	h.Ready = false
	h.Reasons = append(h.Reasons, codecs.Printable(fmt.Sprintf(format, args...), maxDetail))
}

func (h *Health) degrade(format string, args ...any) {
	h.Degraded = append(h.Degraded, codecs.Printable(fmt.Sprintf(format, args...), maxDetail))
}
