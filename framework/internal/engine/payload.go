package engine

import (
	"encoding/hex"
	"strconv"
)

// shownBytes is how many bytes of a payload are shown: enough to tell a codec by, and
// too few to give away what is in the message.
const shownBytes = 16

// beginning shows the first bytes of a payload: as text where they are that, else in hex.
func beginning(body []byte) string {
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

// explain says what a payload may be that the codec cannot read, where the program can tell.
func (c *Client) explain(body []byte, codec string) (text string) {
	if c.Explain == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return c.Explain(body, codec)
}
