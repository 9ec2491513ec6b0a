package handlers

import "time"

// Death is one time that a message was given up: it was in the dead store until it was
// redriven. Times are Redis's unless the field says otherwise. Zero values are unknown.
type Death struct {
	At       time.Time // when it went to the dead store
	Redriven time.Time // when it was put back
	Reason   string    // as in the dead store: "exhausted", "rejected", …
	Detail   string    // the first 200 bytes of the error, or of what was wrong

	Delivered int // hand-outs of that life, the last one included
	Failed    int // failures
	Died      int // processes that died with it

	Due     time.Time // when it had been due
	Offered time.Time // when Go offered it, by the producer's clock; not known of Java's
	ID      string    // its id in that life
	Entry   string    // its entry in the dead store
}
