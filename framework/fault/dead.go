package fault

import "errors"

// ErrNoEntry says that the dead store has no such entry.
var ErrNoEntry = errors.New("the dead store has no such entry")

// ErrMalformedEntry says that an entry of the dead store is no payload: an element
// that fits no layout of Redisson's.
var ErrMalformedEntry = errors.New("the entry is an element of no known layout, not a payload: drop it, or redrive it with Malformed")
