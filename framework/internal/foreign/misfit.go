package foreign

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/registry"
)

// Misfit returns the error of a payload that the queue's codec wrote, and that does not fit the
// Go type of the queue; nil where another codec wrote it, or its codec panics. err is what reading
// it has returned.
func Misfit(q registry.Descriptor, payload []byte, err error) error {
	d := Of(q)
	if !ofCodec(d.Codec, payload) {
		return nil
	}
	e := &misfit{queue: d, err: err}
	func() {
		defer func() { _ = recover() }() // of code of the user's
		if len(payload) > 0 && namesClasses(d.Codec) {
			e.class = classIn(d.Codec, payload)
		}
	}()
	return e
}

// ofCodec reports whether a codec may have written a payload.
func ofCodec(c codecs.Codec, payload []byte) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return wrote(c, payload, nil) == nil
}

// misfit is the error of a payload of the right codec.
type misfit struct {
	queue Declared
	class kind // of the payload
	err   error
}

// Compare is the command that compares Go types with Java classes.
const Compare = "duequeue javadesc -check -classes app.jar ./..."

// Error names class, field, Go type and the command that compares them.
func (e *misfit) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the payload does not fit Go type %s", e.queue.Type)
	cause := e.err.Error()
	var decode *codecs.DecodeError
	if errors.As(e.err, &decode) {
		if decode.Path != "" {
			fmt.Fprintf(&b, " at %s", decode.Path)
		}
		plain := *decode
		plain.Reason, plain.Path, plain.Class = otherCodec.ReplaceAllString(decode.Reason, ""), "", ""
		cause = plain.Error()
	}
	class, mine := codecs.Printable(e.class.class, maxClass), e.queue.Class
	switch {
	case class == "":
	case mine != "" && !e.class.alike(kind{class: mine}):
		fmt.Fprintf(&b, ": it is of the Java class %s, and the type is %s: give the type that class and redrive, or find the program that offers it; compare: %s", class, mine, Compare)
	case e.class.container == "":
		fmt.Fprintf(&b, ": the Java class %s may have other fields now; compare: %s", class, Compare)
	}
	fmt.Fprintf(&b, " (%s)", cause)
	return b.String()
}

// otherCodec is what codecs say where bytes make no sense to them: here it is known that they
// are of the codec.
var otherCodec = regexp.MustCompile(`(: another codec|,? or another codec|; another codec|; bytes follow the value: another codec).*`)

// Unwrap returns what reading has returned.
func (e *misfit) Unwrap() error { return e.err }

// ErrorType returns "decode", the low-cardinality name used in telemetry.
func (e *misfit) ErrorType() string { return "decode" }
