package telemetry

import (
	"encoding/hex"

	"go.opentelemetry.io/otel/trace"
)

// CreationSize is the length of an encoded Creation.
const CreationSize = 25

// flagShort is our own bit in the flags byte: the delay is within the queue's
// ChildWithin. The W3C bits are the low ones; bit 0 is "sampled", bit 1 is
// "random trace id".
const (
	flagShort = 0x80
	w3cFlags  = 0x03
)

// Creation is the context in which a message was offered, as it crosses the delay
// beside the payload: trace id 16 bytes, span id 8, flags 1.
// The zero value says that nothing is known.
type Creation struct {
	Context trace.SpanContext
	// Short says that the offer's delay was within the queue's ChildWithin, so
	// that the process span may be a child.
	Short bool
}

// Encode returns the 25 bytes, or nil where the context is not a sampled one:
// a link to a span that nobody kept is worth no memory.
func (c Creation) Encode() []byte {
	if !c.Context.IsValid() || !c.Context.IsSampled() {
		return nil
	}
	tid, sid := c.Context.TraceID(), c.Context.SpanID()
	b := make([]byte, 0, CreationSize)
	b = append(b, tid[:]...)
	b = append(b, sid[:]...)
	flags := byte(c.Context.TraceFlags()) & w3cFlags
	if c.Short {
		flags |= flagShort
	}
	return append(b, flags)
}

// DecodeCreation reads 25 bytes. Anything else, or ids that are zero, gives
// ok false: a message is never refused because of its trace context.
func DecodeCreation(b []byte) (c Creation, ok bool) {
	if len(b) != CreationSize {
		return Creation{}, false
	}
	sc := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID:    trace.TraceID(b[:16]),
		SpanID:     trace.SpanID(b[16:24]),
		TraceFlags: trace.TraceFlags(b[24] & w3cFlags),
		Remote:     true,
	})
	if !sc.IsValid() {
		return Creation{}, false
	}
	return Creation{Context: sc, Short: b[24]&flagShort != 0}, true
}

// FormatTraceparent returns the W3C traceparent of the context, version 00, or ""
// where it is not valid.
func FormatTraceparent(sc trace.SpanContext) string {
	if !sc.IsValid() {
		return ""
	}
	tid, sid := sc.TraceID(), sc.SpanID()
	b := make([]byte, 0, 55)
	b = append(b, "00-"...)
	b = hex.AppendEncode(b, tid[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, sid[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, []byte{byte(sc.TraceFlags()) & w3cFlags})
	return string(b)
}

// ParseTraceparent reads a W3C traceparent (https://www.w3.org/TR/trace-context):
// lower-case hex, not all zero; of versions after 00 the part that is known.
// The context is marked remote.
func ParseTraceparent(s string) (trace.SpanContext, bool) {
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return trace.SpanContext{}, false
	}
	if len(s) > 55 && (s[:2] == "00" || s[55] != '-') {
		return trace.SpanContext{}, false
	}
	var raw [1 + 16 + 8 + 1]byte
	for _, part := range [...]struct {
		dst  []byte
		text string
	}{{raw[:1], s[:2]}, {raw[1:17], s[3:35]}, {raw[17:25], s[36:52]}, {raw[25:], s[53:55]}} {
		if !lowerHex(part.dst, part.text) {
			return trace.SpanContext{}, false
		}
	}
	sc := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID:    trace.TraceID(raw[1:17]),
		SpanID:     trace.SpanID(raw[17:25]),
		TraceFlags: trace.TraceFlags(raw[25] & w3cFlags),
		Remote:     true,
	})
	return sc, raw[0] != 0xff && sc.IsValid()
}

// lowerHex decodes text into dst; upper case is refused, as W3C has it.
func lowerHex(dst []byte, text string) bool {
	for _, c := range []byte(text) {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}
