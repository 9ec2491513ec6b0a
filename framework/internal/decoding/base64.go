package decoding

import (
	"encoding/base64"
	"strings"
)

// Base64 returns the bytes behind a text that people paste: blanks between its characters,
// its alphabet and its padding do not matter.
func Base64(text string) ([]byte, error) {
	s := strings.Join(strings.Fields(text), "")
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(s), "="))
}
