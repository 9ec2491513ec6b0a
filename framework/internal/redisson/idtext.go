package redisson

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Marks before the 16 hex digits of an id that Java made.
const (
	markJava = 'j' // 3.21.1 and later: 8 random bytes
	markOld  = 'd' // up to 3.21.0: a double
)

// IDError reports a text that is not a message id.
type IDError struct {
	Text   string // the text as given
	Reason string // what is wrong with it
}

// Error quotes the text, the beginning of one that is long, and says the reason.
func (e *IDError) Error() string {
	return fmt.Sprintf("message id %.64q: %s", e.Text, e.Reason)
}

// FormatID returns the text by which users know a pending message: the due time
// in ms and the element id, both in hex: "<due>-<14 digits>" for universal
// elements, "<due>-j<16 digits>" for Java's since 3.21.1, "<due>-d<16 digits>"
// for Java's up to 3.21.0. It returns "" for an unknown id, for [KindOther] and
// for a negative due time.
func FormatID(dueMs int64, id ElementID) string {
	if dueMs < 0 {
		return ""
	}
	var buf [40]byte // on the stack: a bulk offer makes very many
	text := append(strconv.AppendInt(buf[:0], dueMs, 16), '-')
	switch {
	case id.Universal():
		text = hex.AppendEncode(text, id.Raw[1:])
	case id.Kind == KindJava:
		text = hex.AppendEncode(append(text, markJava), id.Raw[:])
	case id.Kind == KindFirst:
		text = hex.AppendEncode(append(text, markOld), id.Raw[:])
	default:
		return ""
	}
	return string(text)
}

// ParseID reads what [FormatID] wrote. The error is an [*IDError].
func ParseID(text string) (dueMs int64, id ElementID, err error) {
	fail := func(reason string) (int64, ElementID, error) {
		return 0, ElementID{}, &IDError{Text: text, Reason: reason}
	}
	dueText, idText, found := strings.Cut(text, "-")
	if !found {
		return fail("has no dash between due time and id")
	}
	due, err := strconv.ParseUint(dueText, 16, 63)
	if err != nil || int64(due) >= MaxDueMs || strconv.FormatUint(due, 16) != dueText {
		return fail("its due time is not a hexadecimal number of milliseconds below 2^53")
	}
	if idText == "" {
		return fail("has nothing after the dash")
	}
	target := id.Raw[:]
	switch idText[0] {
	case markJava:
		id.Kind, idText = KindJava, idText[1:]
	case markOld:
		// "d" is a hexadecimal digit too; only the length tells the two apart.
		if len(idText) == 17 {
			id.Kind, idText = KindFirst, idText[1:]
		}
	}
	if id.Kind == 0 {
		id.Kind, id.Raw[0], target = KindFirst, universalLength, id.Raw[1:]
	}
	if len(idText) != 2*len(target) {
		return fail(fmt.Sprintf("its id has %d digits instead of %d", len(idText), 2*len(target)))
	}
	if _, err := hex.Decode(target, []byte(idText)); err != nil || strings.ToLower(idText) != idText {
		return fail("its id is not lower-case hexadecimal")
	}
	if id.Kind == KindFirst && len(target) == 8 && id.Universal() {
		return fail("an id that starts with 07 is written with 14 digits")
	}
	return int64(due), id, nil
}
