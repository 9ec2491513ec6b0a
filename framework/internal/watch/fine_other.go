//go:build !linux

package watch

import "time"

// canSleepFinely is false where the runtime's timers are used alone.
const canSleepFinely = false

func sleepFinely(d time.Duration) { <-time.NewTimer(d).C }
