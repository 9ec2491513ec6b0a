package telemetry

// Metrics of the semantic conventions.
const (
	MetricProcessDuration   = "messaging.process.duration"
	MetricOperationDuration = "messaging.client.operation.duration"
	MetricConsumed          = "messaging.client.consumed.messages"
	MetricSent              = "messaging.client.sent.messages"
)

// Metrics of our own. The gauges describe the queue as a whole, as seen by each
// process that reports them: aggregate by maximum, not by sum. The exceptions
// are in_flight, zombies, suspects, view.behind, breaker.state, clock.skew and process.ready, which describe the process,
// and finding, which only a console reports.
const (
	MetricLateness   = "messaging.redisson.lateness"
	MetricUnknownDue = "messaging.redisson.unknown_due.messages"
	MetricEarly      = "messaging.redisson.early.messages"
	MetricRetried    = "messaging.redisson.retried.messages"
	MetricDead       = "messaging.redisson.dead_stored.messages"
	MetricTrimmed    = "messaging.redisson.dead_trimmed.messages"
	MetricUntold     = "messaging.redisson.dead_untold.messages"
	MetricReleased   = "messaging.redisson.released.messages"
	MetricReaped     = "messaging.redisson.reaped.messages"
	// MetricCancelled counts messages that ended as cancelled, by reason: pending; in_flight
	// where the attempt failed or was cut off that was under way when they were cancelled.
	MetricCancelled  = "messaging.redisson.cancelled.messages"
	MetricLostLeases = "messaging.redisson.lost_leases"
	MetricZombies    = "messaging.redisson.zombie.messages"
	// MetricDoubtful counts messages that may be handled twice, by reason: draining,
	// lease_lost, hung.
	MetricDoubtful = "messaging.redisson.possible_duplicate.messages"

	MetricReadyNow     = "messaging.redisson.queue.ready"
	MetricDelayedNow   = "messaging.redisson.queue.delayed"
	MetricOverdueNow   = "messaging.redisson.queue.overdue"
	MetricLag          = "messaging.redisson.queue.lag"
	MetricViewBehind   = "messaging.redisson.view.behind"
	MetricInFlightNow  = "messaging.redisson.queue.in_flight"
	MetricZombiesNow   = "messaging.redisson.queue.zombies"
	MetricSuspectsNow  = "messaging.redisson.queue.suspects"
	MetricDeadNow      = "messaging.redisson.queue.dead"
	MetricBreakerState = "messaging.redisson.breaker.state"
	MetricClockSkew    = "messaging.redisson.clock.skew"
	MetricReady        = "messaging.redisson.process.ready"
	MetricFinding      = "messaging.redisson.finding"
)

// durationBounds are the boundaries, in seconds, that the conventions ask for; an
// SDK's own default is meant for milliseconds.
var durationBounds = []float64{.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}

// latenessBounds are in seconds: from "one tick" to "the queue stood still for a
// day". Below zero came early, by a Java client with a fast clock.
var latenessBounds = []float64{0, .001, .002, .003, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600, 86400}
