package wire

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
)

// Marks before the 16 hex digits of an id that Java made.
const (
	markJava = 'j' // 3.21.1 and later: 8 random bytes
	markOld  = 'd' // up to 3.21.0: a double
)

// MessageID is the ID of a message, the same all its life: the partition of its queue,
// when it was due as it was offered, in ms, and the id of its first element. The zero
// value is none.
type MessageID struct {
	Partition int
	DueMs     int64
	Element   ElementID
}

// String is [FormatID], in partitions from 1 on behind the number and a dot.
func (id MessageID) String() string {
	if id.Element.IsZero() {
		return ""
	}
	return InPartition(id.Partition, FormatID(id.DueMs, id.Element))
}

// InPartition returns what users know by a text that names something in a partition of
// Redis, such as what [FormatID] wrote: "3." and the text for partition 3, the text alone
// for partition 0. Nothing stays nothing.
func InPartition(partition int, text string) string {
	if partition == 0 || text == "" {
		return text
	}
	return strconv.Itoa(partition) + "." + text
}

// CutPartition undoes [InPartition]. ok is false where what stands before the dot is no
// partition.
func CutPartition(text string) (partition int, rest string, ok bool) {
	number, rest, found := strings.Cut(text, ".")
	if !found {
		return 0, text, true
	}
	p, err := strconv.Atoi(number)
	if err != nil || p < 1 || p >= Slots || strconv.Itoa(p) != number {
		return 0, "", false
	}
	return p, rest, true
}

// FormatID returns the text by which users know a message: the due time that its
// offer gave it, in ms, and its element id, both in hex: "<due>-<14 digits>" for universal
// elements, "<due>-j<16 digits>" for Java's since 3.21.1, "<due>-d<16 digits>"
// for Java's up to 3.21.0. It returns "" for an unknown id, for [KindOther] and
// for a negative due time.
func FormatID(dueMs int64, id ElementID) string {
	var buf [40]byte // on the stack: a bulk offer makes very many
	return string(AppendID(buf[:0], dueMs, id))
}

// AppendID adds to b what [FormatID] returns.
func AppendID(b []byte, dueMs int64, id ElementID) []byte {
	var mark byte
	switch {
	case dueMs < 0:
		return b
	case id.Universal():
		return hex.AppendEncode(append(strconv.AppendInt(b, dueMs, 16), '-'), id.Raw[1:])
	case id.Kind == KindJava:
		mark = markJava
	case id.Kind == KindFirst:
		mark = markOld
	default:
		return b
	}
	return hex.AppendEncode(append(strconv.AppendInt(b, dueMs, 16), '-', mark), id.Raw[:])
}

// ParseID reads what [MessageID.String] wrote. The error is an [*fault.IDError].
func ParseID(text string) (MessageID, error) {
	fail := func(reason string) (MessageID, error) {
		return MessageID{}, &fault.IDError{Text: text, Reason: reason}
	}
	var id ElementID
	partition, rest, ok := CutPartition(text)
	if !ok {
		return fail("what stands before its dot is no partition, a decimal number from 1 on")
	}
	dueText, idText, found := strings.Cut(rest, "-")
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
	return MessageID{Partition: partition, DueMs: int64(due), Element: id}, nil
}
