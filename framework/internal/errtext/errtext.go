// Package errtext takes the text of errors that somebody else wrote.
package errtext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// maxType bounds the name of a type that is shown in place of a text, in bytes.
const maxType = 128

// Of returns the text of err as it may stand in one line of a log, a span or a page: as
// [codecs.Printable] makes it: the first bytes, most in number, and a word about how many
// there were. Errors that were joined stand in one line, each once, with semicolons between.
// Error is the code of whoever made err, and may be called on a nil pointer: where
// it panics, the text names the type and says so. Of nil it is "".
//
// Call it under no lock: how long Error takes is not known.
func Of(err error, most int) string {
	text, _ := Try(err, most)
	return text
}

// Try is [Of], and reports whether the text is that of the error as it is: false where
// the Error method panics, or says what must be cut or escaped. Who hands the error
// itself on needs to know.
func Try(err error, most int) (text string, asItIs bool) {
	if err == nil {
		return "", true
	}
	said, plain, ok := ask(err)
	if !ok {
		return codecs.Printable(fmt.Sprintf("%T", err), maxType) + " (its Error method panics)", false
	}
	text = codecs.Printable(said, most)
	return text, text == plain
}

// ask survives an Error method that panics, with whatever value. text is plain with joined
// errors in one line.
func ask(err error) (text, plain string, ok bool) {
	defer func() {
		if recover() != nil {
			text, plain, ok = "", "", false
		}
	}()
	plain = err.Error()
	if text = plain; strings.Contains(plain, "\n") {
		text = inLine(err, mostWrapped)
	}
	return text, plain, true
}

// What is looked at, for the sake of time: how deep joined errors may lie, and how many
// may be joined. Others keep their line ends, escaped.
const (
	mostWrapped = 16
	mostJoined  = 64
)

// inLine returns the text of an error in which those that errors.Join made stand in one
// line, each once. Other line ends stay: they are somebody's words.
func inLine(err error, most int) string {
	text := err.Error()
	if most == 0 || !strings.Contains(text, "\n") {
		return text
	}
	var inner []error
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	if len(inner) > mostJoined {
		return text
	}
	var plain, parts []string
	for _, one := range inner {
		if one == nil {
			continue
		}
		plain = append(plain, one.Error())
		part := inLine(one, most-1)
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
		text = strings.Replace(text, one.Error(), part, 1)
	}
	if len(plain) > 1 && strings.Join(plain, "\n") == err.Error() {
		return strings.Join(parts, "; ")
	}
	return text
}
