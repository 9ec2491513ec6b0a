package serialization

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// Stream is one java.io object stream in pieces: several objects that share one
// header and one table of back references, as when another format puts what an
// ObjectOutputStream writes between its own bytes. The two directions are
// independent of each other. A Stream is not safe for concurrent use.
//
// For one value per payload use [Codec].
type Stream struct {
	reader reader
	writer *writer
}

// NewStream makes a stream that has read and written nothing yet. The limits
// hold for all objects together, except Bytes, which is the caller's affair.
func NewStream(limits codecs.Limits) *Stream {
	limits = limits.WithDefaults()
	r := serial.NewReader(name, serial.JavaIO, nil, limits, &serial.Descs{}, nil)
	r.Limits, r.Left = limits, limits.Elements
	s := &Stream{reader: reader{Reader: r}, writer: new(writer).emptied()}
	s.writer.depth, s.writer.describe.Classes = limits.Depth, serial.NewClasses(nil, false)
	return s
}

// Read reads one object of the stream from payload at offset at, before the first
// one also the header, and returns the offset behind it. Values are those of
// package codecs/java. The error is a [*codecs.DecodeError] with an offset in payload;
// the stream cannot be read on after it.
func (s *Stream) Read(payload []byte, at int) (value any, next int, err error) {
	r := &s.reader
	r.Start(payload, at)
	if at < 0 || at > len(payload) {
		return nil, at, r.Fail(at, "the offset lies outside of the payload")
	}
	if !r.started {
		if err = r.header(); err != nil {
			return nil, r.At, err
		}
	}
	value, err = r.value()
	r.Finish()
	next = r.At
	r.Start(nil, next) // nothing of the payload is kept
	return value, next, err
}

// Append appends one object to dst, before the first one also the header. It
// takes what Read returns, and any Go value that package java knows; beans need
// their Serial, as Read leaves it. The error is a [*codecs.EncodeError]; the
// stream cannot be written on after it, and dst is returned unchanged.
func (s *Stream) Append(dst []byte, v any) ([]byte, error) {
	w := s.writer
	w.out = dst
	if !w.started {
		w.out, w.started = append(w.out, magic...), true
	}
	if err := w.value(v); err != nil {
		return dst, bridge.Named(name, err)
	}
	return w.out, nil
}
