// Package payload shows people what is in payloads: a bounded tree of named values with
// their Java classes, one line of it for a table, and whether a field has a value that is
// searched for. Values are hidden unless the fields are declared visible. Whatever wrote the
// payload, texts are printable and bounded.
//
// It works on what codecs decode without a Go type, see package codecs/java; package
// decoding finds the codec.
package payload
