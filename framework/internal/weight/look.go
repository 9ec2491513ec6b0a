package weight

import (
	"context"
	"sync"

	"github.com/duequeue/duequeue/codecs"
)

// Looks returns the bound that all views and tools of this process share while they decode: a quarter
// of that of [Process], beside it. They have one of their own since a handler, which keeps its share of
// the other one, may look at a queue: it must not wait for handlers that wait as it does.
var Looks = sync.OnceValue(func() *Bound { return New(Process().size / 4) })

var unending = context.Background() //nolint:forbidigo // no end of a caller ends what decodes

// Look decodes a payload of c for those who look at it. It waits until there is room in [Looks], and
// keeps its part while it decodes alone: then those that wait always go on, so that nothing ends it.
//
//nolint:contextcheck,nolintlint // nothing ends it, and who calls it needs no word of that
func Look[T any](c codecs.Codec, payload []byte, decode func(payload []byte) (T, error)) (T, error) {
	taken := Looks().Take(unending, OfPayload(c, payload))
	defer Looks().Give(taken)
	return decode(payload)
}
