package catalog

import (
	"fmt"
	"strings"
)

// Kind says why a name gives no codec.
type Kind int

// The kinds of refusal.
const (
	Unknown    Kind = iota // no Redisson codec has this name
	NotYet                 // a codec of Redisson that this release does not carry
	Unservable             // a codec that only Java can read
)

// UnknownError says why a name gives no codec.
type UnknownError struct {
	Name      string // as it was given
	Canonical string
	Kind      Kind
	Reason    string // what to do instead
}

// Error formats all that is known in one line.
func (e *UnknownError) Error() string {
	switch e.Kind {
	case NotYet:
		return fmt.Sprintf("codec %q is not in this release: %s", e.Name, e.Reason)
	case Unservable:
		return fmt.Sprintf("codec %q cannot be served from Go: %s", e.Name, e.Reason)
	case Unknown:
	}
	return fmt.Sprintf("unknown codec %q: %s", e.Name, e.Reason)
}

const (
	kryo4Reason = "Kryo 4 numbers its classes in another way than Kryo 5 and its format changed between minor releases; " +
		"let the Java services use Kryo5Codec (kryo5)"
	foryReason = "its native format follows Java's class layout and changes between minor releases, and no Go library reads it; " +
		"let the Java services use Kryo5Codec (kryo5) or JsonJacksonCodec (jsonjackson)"
)

var unservable = map[string]string{
	"kryo":          kryo4Reason,
	"kryo4":         kryo4Reason,
	"fury":          foryReason,
	"fory":          foryReason,
	"jsonfory":      "it is in no released Redisson",
	"typedjsonfory": "it is in no released Redisson",
	"composite":     "on a queue it stands for its third codec: name that one",
}

// notYet are the codecs of Redisson that later releases of this module carry.
var notYet = map[string]bool{
	"typedjsonjackson": true, "jsonjackson3": true,
	"typedjsonjackson3": true, "msgpackjackson": true, "cborjackson": true, "cborjackson3": true,
	"smilejackson": true, "smilejackson3": true, "ionjackson": true, "ionjackson3": true,
	"avrojackson": true, "avrojackson3": true, "protobuf": true,
	"lz4": true, "lz4v2": true, "snappy": true, "snappyv2": true, "zstd": true,
}

func refuse(name, canonical string) error {
	e := &UnknownError{Name: name, Canonical: canonical, Reason: "there are " + strings.Join(Names(), ", ")}
	outer, inner, wrapped := strings.Cut(canonical, "(")
	switch {
	case unservable[outer] != "":
		e.Kind, e.Reason = Unservable, unservable[outer]
	case wrapped && unservable[strings.TrimSuffix(inner, ")")] != "":
		e.Kind, e.Reason = Unservable, unservable[strings.TrimSuffix(inner, ")")]
	case notYet[outer]:
		e.Kind = NotYet
	case canonical == "":
		e.Reason = "the name is empty; " + e.Reason
	}
	return e
}
