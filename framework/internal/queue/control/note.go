package control

import (
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// What processes note of an outbox, in fields of their own.
const (
	OutboxWritten = "outbox_written" // when one last told that it writes rows for the queue
	OutboxRelayed = "outbox_relayed" // when a relay last looked for rows of the queue
)

// NoteCall notes that something is so now, by the clock of Redis. An error hurts nobody.
func NoteCall(k wire.Keys, field string) script.Call {
	return script.Call{Script: noteScript, Keys: []string{k.Control}, Args: []any{field}}
}
