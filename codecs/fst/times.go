package fst

import (
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// readTime reads an object of java.time.
func readTime(d *decoder, _ *class, at int) (any, error) {
	slot := d.reserve(at, nil)
	v, err := jdk.ReadSer(timeInput{d})
	if err != nil {
		return nil, err
	}
	d.complete(slot, v)
	return v, nil
}

// timeInput is what a decoder is to package jdk.
type timeInput struct{ d *decoder }

// Byte implements [jdk.Input].
func (t timeInput) Byte() (byte, error) { return t.d.byte() }

// Number implements [jdk.Input].
func (t timeInput) Number(part jdk.Part) (int64, error) {
	if part == jdk.Epoch || part == jdk.Seconds {
		return t.d.int64()
	}
	n, err := t.d.int32()
	return int64(n), err
}

// Text implements [jdk.Input].
func (t timeInput) Text() (string, error) { return t.d.text() }

// At implements [jdk.Input].
func (t timeInput) At() int { return t.d.at }

// Fault implements [jdk.Input].
func (t timeInput) Fault(at int, format string, args ...any) error {
	return t.d.fault(at, format, args...)
}

// timestamp puts together the whole seconds of a Date and the nanoseconds of a
// java.sql.Timestamp.
func timestamp(v java.Date, nanos int32) java.Date {
	seconds := v.Millis / 1000
	if v.Millis%1000 < 0 {
		seconds--
	}
	v.Millis, v.Nanos = seconds*1000+int64(nanos)/1_000_000, nanos%1_000_000
	return v
}
