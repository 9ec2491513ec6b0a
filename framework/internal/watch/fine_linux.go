package watch

import (
	"syscall"
	"time"
)

// canSleepFinely says that sleepFinely is finer than the runtime's timers, which
// round the last wait of an idle process up to a whole millisecond.
const canSleepFinely = true

// sleepFinely blocks the calling thread for d, or less when a signal comes.
func sleepFinely(d time.Duration) {
	ts := syscall.NsecToTimespec(d.Nanoseconds())
	// An early return is seen by the caller's clock.
	_ = syscall.Nanosleep(&ts, nil)
}
