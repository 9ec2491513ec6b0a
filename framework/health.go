package framework

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/duequeue/duequeue/framework/internal/gate"
	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// Health is how an engine stands at one moment.
type Health struct {
	// Live is false only when the engine was stopped.
	Live bool `json:"live"`
	// Ready is whether every queue is being served.
	Ready bool `json:"ready"`
	// Reasons says why not, one line per cause.
	Reasons []string `json:"reasons,omitempty"`
	// Degraded says what is held up on purpose, one line per cause: paused queues. It
	// does not make Ready false.
	Degraded []string `json:"degraded,omitempty"`
	// Queues has every queue in the order of codes.
	Queues []QueueHealth `json:"queues"`
}

// QueueHealth is how one queue stands in this process.
type QueueHealth struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	// Intake is closed, half-open or open, in the words of circuit breakers:
	// closed lets messages flow.
	Intake string `json:"intake"`
	// Reason says why the intake is not closed, or why it waits: "rate_limited".
	Reason string `json:"reason,omitempty"`
	// Until is when an open intake is tried again, a limited one goes on.
	Until *time.Time `json:"until,omitempty"`
	// Paused is set where the queue is paused in this process.
	Paused *PauseInfo `json:"paused,omitempty"`
	// Running counts handlers at work, Zombies those given up on that have not
	// returned yet.
	Running int `json:"running"`
	Zombies int `json:"zombies,omitempty"`
	// LastError is the handler's last counted failure or the take's trouble.
	LastError string `json:"last_error,omitempty"`
	// TransferredAt is when due messages were last looked for with success.
	TransferredAt time.Time `json:"transferred_at"`
	// TransferOnly is set where this process does not handle the queue.
	TransferOnly bool `json:"transfer_only,omitempty"`
}

// Health returns how the engine stands now. It asks Redis nothing.
func (e *Engine) Health() Health {
	e.mu.Lock()
	state, queues, watcher := e.state, e.queues, e.watcher
	e.mu.Unlock()
	h := Health{Live: state != stateStopped, Ready: true, Queues: []QueueHealth{}}
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
		h.Queues = append(h.Queues, s.health(&h, wh.Queues[i]))
	}
	return h
}

// health describes one queue and adds to the reasons of h what keeps it from
// being served.
func (s *served) health(h *Health, w redisson.QueueHealth) QueueHealth {
	q := QueueHealth{
		Code: s.consumer.Code(), Title: s.consumer.queue.Title(), Intake: gate.Closed.String(),
		TransferredAt: w.LastSuccess, TransferOnly: s.runner == nil,
	}
	if w.Failures > 0 && w.LastError != nil {
		q.LastError = w.LastError.Error()
		h.because("%s: due messages cannot be moved: %v", q.Code, w.LastError)
	}
	r := s.runner
	if r == nil {
		return q
	}
	g := r.gate.Snapshot()
	q.Intake, q.Reason = g.State.String(), string(g.Reason)
	if !g.Until.IsZero() {
		q.Until = &g.Until
	}
	q.Running, q.Zombies = r.pool.counts()
	if g.LastError != "" {
		q.LastError = g.LastError
	}
	if q.Paused = pausedInfo(g.Paused); q.Paused != nil {
		h.Degraded = append(h.Degraded, fmt.Sprintf("%s: %s", q.Code, q.Paused))
	} else if g.State == gate.Open {
		detail := g.LastError
		if g.Reason == gate.ReasonUndecodable {
			detail = "payloads look like " + g.Detail
		}
		h.because("%s: intake closed (%s): %s", q.Code, g.Reason, detail)
	}
	if trouble := r.trouble.Load(); trouble != nil {
		q.LastError = (*trouble).Error()
		h.because("%s: cannot take: %v", q.Code, *trouble)
	}
	if r.holder.Load().fenced.Load() {
		h.because("%s: the lease could not be renewed", q.Code)
	}
	if n := r.unsettled.Load(); n > 0 {
		h.because("%s: Redis does not take the end of %d messages: %v", q.Code, n, *r.unsettledErr.Load())
	}
	if q.Zombies >= r.pool.maxZombies() {
		h.because("%s: %d handlers hang", q.Code, q.Zombies)
	}
	return q
}

// HealthHandler serves the engine's health: /livez answers 200 while the process
// should go on running, /readyz 200 while every queue is served, otherwise 503.
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
	h.Reasons = append(h.Reasons, fmt.Sprintf(format, args...))
}
