// Package cursor makes texts of places in lists, by which callers go on later.
package cursor

import (
	"encoding/base64"
	"encoding/json"
)

// Text returns a place as the text that callers keep to go on.
func Text(place any) string {
	b, err := json.Marshal(place)
	if err != nil { // numbers, texts and bytes always do
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// Read reads such a text into a place.
func Read(text string, place any) error {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, place)
}
