package view

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/java"
)

// Class returns the Java class of a payload from what Decode of its codec returned: that
// of the value, or of a payload that cannot be read without its description the one that the
// error names. It returns "" where the bytes name no class.
func Class(v any, err error) string {
	if blamed := Blamed(err); v == nil && len(blamed) > 0 {
		return blamed[0]
	}
	if class := java.ClassOf(v); class != "" {
		return class
	}
	if lowered, err := bridge.LowerShared(v); err == nil {
		return java.ClassOf(lowered)
	}
	return ""
}

// Blamed returns the classes that an error is about: of a list of codecs each may name one.
func Blamed(err error) []string {
	var names []string
	//nolint:errorlint // every error of the tree is looked at, not the first that fits
	switch e := err.(type) {
	case *codecs.DecodeError:
		if e.Class != "" {
			names = append(names, java.TypeOf(e.Class).Class)
		}
		names = append(names, Blamed(e.Err)...)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			names = append(names, Blamed(inner)...)
		}
	case interface{ Unwrap() error }:
		names = Blamed(e.Unwrap())
	}
	return names
}

// Lower returns the Java value that a codec with references writes for any value: Java values
// stay as they are, plain Go ones become what package java says. The error says which Go type
// has none.
func Lower(v any) (any, error) { return bridge.LowerShared(v) }
