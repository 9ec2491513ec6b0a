package fault

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// maxText bounds the text of an error that shows bytes.
const maxText = 4 << 10

// ForeignPayloadsError says that an offer was refused, since the queue's codec cannot read
// payloads that are in the queue: the program that wrote them would fail on those of this
// client, and a Java program that fails has popped the message already. Nothing was offered.
type ForeignPayloadsError struct {
	Queue   string // code
	Codec   string // name of the queue's codec
	Looked  int    // different payloads that were looked at
	Foreign int    // how many of these the codec cannot read
	// Samples are some of the foreign ones.
	Samples []ForeignSample
}

// ForeignSample shows how a foreign payload begins.
type ForeignSample struct {
	Head []byte // 16 bytes at most
	Size int    // of the whole payload
	Err  error  // why the codec cannot read it
}

// Error says how they begin, and how to find out more.
func (e *ForeignPayloadsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "queue %q: %d of %d payloads that lie there cannot be read by its codec %s", e.Queue, e.Foreign, e.Looked, e.Codec)
	for i, s := range e.Samples {
		sep := ", "
		if i == 0 {
			sep = "; they begin with "
		}
		fmt.Fprintf(&b, "%s%x (%d bytes)", sep, s.Head, s.Size)
	}
	b.WriteString(`. The program that wrote them would lose what this one offers: find the codec with "duequeue decode -in hex" and a whole payload, and declare it; see registry.OnForeign where that is wanted`)
	return codecs.Printable(b.String(), maxText)
}

// ErrorType returns "foreign_payloads", the low-cardinality name used in telemetry.
func (e *ForeignPayloadsError) ErrorType() string { return "foreign_payloads" }
