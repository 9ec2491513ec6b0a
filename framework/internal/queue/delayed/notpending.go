package delayed

import (
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// NotPending is a [*fault.NotPendingError] with what a search for its message needs.
type NotPending struct {
	*fault.NotPendingError
	// Offered is the key that it was offered with, "" where that is not known.
	Offered string
	field   string // of its record, where one is known
}

// Unwrap returns the error that users see.
func (e *NotPending) Unwrap() error { return e.NotPendingError }

// Field returns kind and bytes of the id that the message's element had last, "" where
// that is not known.
func (e *NotPending) Field() string {
	if e.field != "" {
		return e.field
	}
	id, err := wire.ParseID(e.ID)
	if err != nil {
		return ""
	}
	return id.Element.Field()
}
