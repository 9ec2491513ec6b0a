package java

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// UUIDOf returns the UUID of the two longs that java.util.UUID consists of.
func UUIDOf(most, least int64) UUID {
	var u UUID
	binary.BigEndian.PutUint64(u[:8], uint64(most))
	binary.BigEndian.PutUint64(u[8:], uint64(least))
	return u
}

// Longs returns the two longs that java.util.UUID consists of.
func (u UUID) Longs() (most, least int64) {
	return int64(binary.BigEndian.Uint64(u[:8])), int64(binary.BigEndian.Uint64(u[8:]))
}

// String returns u as Java does: 123e4567-e89b-12d3-a456-426614174000.
func (u UUID) String() string {
	var b [36]byte
	at := 0
	for i, part := range [...][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			b[at] = '-'
			at++
		}
		at += hex.Encode(b[at:], part)
	}
	return string(b[:])
}

// ParseUUID reads the 36 characters that [UUID.String] writes, in lower or upper
// case. Java's fromString also takes shorter groups; this does not.
func ParseUUID(s string) (UUID, error) {
	var u UUID
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		digits := s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
		if _, err := hex.Decode(u[:], []byte(digits)); err == nil {
			return u, nil
		}
	}
	return UUID{}, fmt.Errorf("text of %d bytes is no UUID", len(s)) // not the text: it may be a secret
}
