package errtext

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// shownBytes is how many bytes of a payload are shown: enough to tell a codec by, and
// too few to give away what is in the message.
const shownBytes = 16

// Beginning shows the first bytes of a payload: as text where they are that, else in hex.
func Beginning(body []byte) string {
	if len(body) == 0 {
		return "nothing (they are empty)"
	}
	head := body[:min(len(body), shownBytes)]
	for _, b := range head {
		if b < ' ' || b > '~' {
			return "hex " + hex.EncodeToString(head)
		}
	}
	return strconv.Quote(string(head))
}

// Form says what a payload of size bytes looks like without showing what is in it: its length,
// and the first byte of its head, which tells many codecs apart.
func Form(head []byte, size int) string {
	switch {
	case size == 0 || len(head) == 0:
		return "empty"
	case size == 1: // it may be all of the message
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes that begin with %#02x", size, head[0])
}
