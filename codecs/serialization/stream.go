package serialization

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// name is the canonical codec name.
const name = "serialization"

// Stream is one java.io object stream in pieces: several objects that share one
// header and one table of back references, as when another format puts what an
// ObjectOutputStream writes between its own bytes. The two directions are
// independent of each other. A Stream is not safe for concurrent use.
//
// For one value per payload use [Codec].
type Stream struct {
	reader reader
	writer writer
}

// NewStream makes a stream that has read and written nothing yet. The limits
// hold for all objects together, except Bytes, which is the caller's affair.
func NewStream(limits codecs.Limits) *Stream {
	limits = limits.WithDefaults()
	s := &Stream{}
	s.reader.reset(nil, limits)
	s.writer.reset(nil, limits.Depth)
	return s
}

// Read reads one object of the stream from payload at offset at, before the first
// one also the header, and returns the offset behind it. Values are those of
// package codecs/java. No part of payload is retained. The error is a
// [*codecs.DecodeError] with an offset in payload; the stream cannot be read on
// after it.
func (s *Stream) Read(payload []byte, at int) (value any, next int, err error) {
	r := &s.reader
	r.In, r.At = payload, at
	defer func() { r.In = nil }()
	if at < 0 || at > len(payload) {
		return nil, at, r.fail(at, "the offset lies outside of the payload")
	}
	if !r.started {
		if err = r.header(); err != nil {
			return nil, r.At, err
		}
	}
	value, err = r.object()
	return value, r.At, err
}

// Append appends one object to dst, before the first one also the header. It
// takes what Read returns, and any Go value that java.Lower knows; beans need
// their Serial, as Read leaves it. The error is a [*codecs.EncodeError]; the
// stream cannot be written on after it, and dst is returned unchanged.
func (s *Stream) Append(dst []byte, v any) ([]byte, error) {
	w := &s.writer
	w.Out = dst
	defer func() { w.Out = nil }()
	if !w.started {
		w.header()
	}
	if err := w.value(v); err != nil {
		return dst, err
	}
	return w.Out, nil
}

func encodeFail(v any, reason string) *codecs.EncodeError {
	return &codecs.EncodeError{Codec: name, Type: reflect.TypeOf(v), Reason: reason}
}

// maxPath bounds the path in an error, which grows with the depth.
const maxPath = 1024

// underDecode puts part before the path of a decoding error.
func underDecode(part string, err error) error {
	if e, ok := err.(*codecs.DecodeError); ok && len(e.Path) < maxPath { //nolint:errorlint // the package's own errors are not wrapped
		e.Path = java.JoinPath(part, e.Path)
	}
	return err
}

func underEncode(part string, err error) error {
	if e, ok := err.(*codecs.EncodeError); ok && len(e.Path) < maxPath { //nolint:errorlint // the package's own errors are not wrapped
		e.Path = java.JoinPath(part, e.Path)
	}
	return err
}
