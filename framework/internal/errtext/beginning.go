package errtext

import (
	"encoding/hex"
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
