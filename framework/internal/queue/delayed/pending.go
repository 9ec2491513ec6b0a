package delayed

import (
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// PendingMessage is one element of the timeout set.
type PendingMessage struct {
	ID      wire.ElementID
	Text    string  // the ID of the message, "" where it has none; see [wire.FormatID]
	DueMs   int64   // first whole ms at which it is due; -1 for never
	Score   float64 // as it stands in the set
	Payload []byte  // nil when Err is set
	Element []byte  // as it stands in the set
	Bytes   int     // of the whole payload, where only its beginning was read

	ElementBytes int   // of the whole element
	Err          error // a [*wire.MalformedError], otherwise nil

	score string // as Redis spells it; of messages of a walk
}
