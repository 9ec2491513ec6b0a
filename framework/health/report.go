// Package health describes how an engine and its queues stand in this process, for probes,
// pages and tests. framework.Engine.Health returns a [Report].
package health

import "time"

// Report describes an engine at one moment.
type Report struct {
	// Live is false when the engine was stopped, and when a goroutine of duequeue that is needed
	// has ended by a panic, which Degraded names: the process should be restarted.
	Live bool `json:"live"`
	// Ready is whether this process can serve every queue. It is false before the start and
	// from the stop on, and when Redis is not reachable or lacks a permission, a queue cannot
	// be taken from or transferred, the lease was not confirmed in time, payloads in a row
	// could not be decoded, or too many handlers hang. It is true again within a second, or
	// one wait in Redis (Config.Block) and a second, after the cause is gone, even if no
	// message comes.
	Ready bool `json:"ready"`
	// Reasons says why not, one line per cause.
	Reasons []string `json:"reasons,omitempty"`
	// Degraded says what holds messages up though this process serves their queue, one line
	// per cause: an open breaker, a rate limit that is used up, a pause, suspects that wait
	// for their turn, a goroutine of duequeue that panicked. It does not make Ready false: the process's other work, such as an
	// API, must go on. See framework.BreakerConfig.
	Degraded []string `json:"degraded,omitempty"`
	// Drain is set from the moment on at which the engine stops.
	Drain *Drain `json:"drain,omitempty"`
	// Queues has every queue in the order of codes.
	Queues []Queue `json:"queues"`
}

// Drain is how far the stop of an engine has come. What it waits for is in
// Queue.Running.
type Drain struct {
	Since time.Time `json:"since"`
	// Until is when handlers that still run are cancelled.
	Until time.Time `json:"until"`
	// Hurried is set if the caller wanted no more waiting, see framework.Engine.Stop.
	Hurried bool `json:"hurried,omitempty"`
}

// Queue describes one queue in this process.
type Queue struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	// Intake says whether messages are taken: [IntakeOpen], [IntakeProbing] or
	// [IntakeClosed]. Empty where this process does not handle the queue.
	Intake Intake `json:"intake,omitempty"`
	// Reason says why the intake is not open, or why it waits: [BecauseBreaker] or another
	// one. Empty while messages flow.
	Reason Reason `json:"reason,omitempty"`
	// Until is when a closed intake is tried again, or a rate limit lets messages through.
	Until *time.Time `json:"until,omitempty"`
	// Paused is set if the queue is paused in this process.
	Paused *Pause `json:"paused,omitempty"`
	// Limit is set if operators bound rate or workers of all processes.
	Limit *Limit `json:"limit,omitempty"`
	// Running counts messages that are being handled. Zombies counts handlers that were given
	// up and have not returned yet: past timeout and grace, or left behind by a stop.
	Running int `json:"running"`
	Zombies int `json:"zombies,omitempty"`
	// Hung names the messages of zombies, the oldest [MaxHung] of them.
	Hung []Hung `json:"hung,omitempty"`
	// Suspect is set while messages that were in flight in two processes that died run here
	// alone, or wait to.
	Suspect *Suspect `json:"suspect,omitempty"`
	// HeldSince is set while no handler of this queue starts, because a suspect of this or
	// another queue runs alone in this process or is about to.
	HeldSince *time.Time `json:"held_since,omitempty"`
	// LastError is the kind of the last failure of a handler that counted, its types, or the
	// error of the take. The text of a handler's error is in the log alone: pages of health
	// have no login.
	LastError string `json:"last_error,omitempty"`
	// TransferredAt is when due messages were last looked for with success.
	TransferredAt time.Time `json:"transferred_at"`
	// TransferOnly is set if this process does not handle the queue.
	TransferOnly bool `json:"transfer_only,omitempty"`
}

// MaxHung is how many hung handlers of a queue its health names at most.
const MaxHung = 16

// Hung is a handler that was given up on and has not returned.
type Hung struct {
	// ID is that of the message, empty if unknown; of a batch its first.
	ID string `json:"id,omitempty"`
	// Digest names the payload in traces and logs; of a batch its first.
	Digest    string    `json:"digest"`
	StartedAt time.Time `json:"started_at"`
	GivenUpAt time.Time `json:"given_up_at"`
}

// Suspect tells of messages that may kill the process: one runs at a time, alone.
type Suspect struct {
	// ID, Digest and StartedAt are those of the suspect that runs now, zero if none runs.
	ID        string    `json:"id,omitempty"`
	Digest    string    `json:"digest"`
	StartedAt time.Time `json:"started_at,omitzero"`
	// Waiting counts the suspects that wait for their turn, in this process or in Redis,
	// where this process put them; WaitingSince is when the first began to wait.
	Waiting      int        `json:"waiting,omitempty"`
	WaitingSince *time.Time `json:"waiting_since,omitempty"`
	// NextAt is when the next suspect may begin here at the earliest, if the other queues
	// have their time first.
	NextAt *time.Time `json:"next_at,omitempty"`
}
