package fst

import (
	"github.com/duequeue/duequeue/codecs/internal/javatime"
	"github.com/duequeue/duequeue/codecs/java"
)

// readTime reads an object of java.time.
func readTime(d *decoder, _ *class, at int) (any, error) {
	slot := d.reserve(at, nil)
	v, err := javatime.Read(timeInput{d})
	if err != nil {
		return nil, err
	}
	d.complete(slot, v)
	return v, nil
}

// timeInput is what a decoder is to package javatime.
type timeInput struct{ d *decoder }

// Byte implements [javatime.Input].
func (t timeInput) Byte() (byte, error) { return t.d.byte() }

// Int32 implements [javatime.Input].
func (t timeInput) Int32() (int32, error) { return t.d.int32() }

// Int64 implements [javatime.Input].
func (t timeInput) Int64() (int64, error) { return t.d.int64() }

// Text implements [javatime.Input].
func (t timeInput) Text() (string, error) { return t.d.text() }

// At implements [javatime.Input].
func (t timeInput) At() int { return t.d.at }

// Fault implements [javatime.Input].
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
