package wire

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
)

// digestPart is how much of each end of a large payload enters the digest.
const digestPart = 2048

// Digest returns the digest that names a payload in traces, logs and the trace
// hash: the SHA-1, in hex, of its first and last 2,048 bytes (the whole payload
// up to 4,096) followed by its length in decimal. The scripts compute the same.
// Identical payloads have the same digest.
func Digest(payload []byte) string {
	h := sha1.New()
	if len(payload) <= 2*digestPart {
		h.Write(payload)
	} else {
		h.Write(payload[:digestPart])
		h.Write(payload[len(payload)-digestPart:])
	}
	var length [20]byte
	h.Write(strconv.AppendInt(length[:0], int64(len(payload)), 10))
	var sum [sha1.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0]))
}
