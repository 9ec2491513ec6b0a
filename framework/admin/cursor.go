package admin

import (
	"encoding/base64"
	"encoding/json"
)

// cursorOf returns a place of a walk as the text that callers keep to go on.
func cursorOf(place any) string {
	b, err := json.Marshal(place)
	if err != nil { // numbers, texts and bytes always do
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads such a text into a place.
func readCursor(cursor string, place any) error {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, place)
}
