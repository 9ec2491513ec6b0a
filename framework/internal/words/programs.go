package words

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// Stamp is a time for programs: in RFC 3339, in UTC to the millisecond; "" where it is unknown.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// Cursor is a place in a list as the text that callers keep to go on later.
func Cursor(place any) string {
	b, err := json.Marshal(place)
	if err != nil { // numbers, texts and bytes always do
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// ReadCursor reads such a text into a place.
func ReadCursor(text string, place any) error {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, place)
}
