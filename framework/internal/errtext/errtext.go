// Package errtext takes the text of errors that somebody else wrote.
package errtext

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
)

// maxType bounds the name of a type that is shown in place of a text, in bytes.
const maxType = 128

// Of returns the text of err as it may stand in one line of a log, a span or a page: as
// [codecs.Printable] makes it: the first bytes, most in number, and a word about how many
// there were. Error is the code of whoever made err, and may be called on a nil pointer: where
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
	said, ok := ask(err)
	if !ok {
		return codecs.Printable(fmt.Sprintf("%T", err), maxType) + " (its Error method panics)", false
	}
	text = codecs.Printable(said, most)
	return text, text == said
}

// ask survives an Error method that panics, with whatever value.
func ask(err error) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	return err.Error(), true
}
