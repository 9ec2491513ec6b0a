package catalog

import (
	"fmt"
	"slices"
)

// Kind says why a name gives no codec.
type Kind int

// The kinds of refusal.
const (
	Unknown    Kind = iota // no Redisson codec has this name
	Unservable             // a codec that only Java can read
	Incomplete             // the name leaves open which codec it is
)

// UnknownError says why a name gives no codec.
type UnknownError struct {
	Name      string // as it was given; of a list or a wrapper, the part at fault
	Canonical string
	Kind      Kind
	Reason    string // what to do instead
}

// Error formats all that is known in one line.
func (e *UnknownError) Error() string {
	switch e.Kind {
	case Unservable:
		return fmt.Sprintf("codec %q cannot be served from Go: %s", e.Name, e.Reason)
	case Incomplete:
		return fmt.Sprintf("codec %q: %s", e.Name, e.Reason)
	case Unknown:
	}
	return fmt.Sprintf("unknown codec %q: %s", e.Name, e.Reason)
}

const (
	kryo4Reason = "it writes what the Kryo jar beside Redisson does: Kryo 4 has fractions, shorts and collections in another form than " +
		"Kryo 5, and nothing in a payload tells which of the two it was; " +
		"let the Java services use Kryo5Codec (kryo5)"
	foryReason = "its native format follows Java's class layout and changes between minor releases, and no Go library reads it; " +
		"let the Java services use Kryo5Codec (kryo5) or JsonJacksonCodec (jsonjackson)"
	jsonForyReason = "it is in no released Redisson"
)

var unservable = map[string]string{
	"kryo":          kryo4Reason,
	"kryo4":         kryo4Reason,
	"fury":          foryReason,
	"fory":          foryReason,
	"jsonfory":      jsonForyReason,
	"typedjsonfory": jsonForyReason,
	composite: "a queue uses its third codec, and fails with a NullPointerException in Java where there is none: " +
		"name that codec alone, or all three, composite(string,string,kryo5)",
	"jackson":  "JacksonCodec is for RJsonBucket; queues have jsonjackson and its kin",
	"jackson3": "Jackson3Codec is for RJsonBucket; queues have jsonjackson3 and its kin",
}

func refuse(s spelling) error {
	e := &UnknownError{Name: s.text, Canonical: Canonical(s.text), Reason: all()}
	switch {
	case unservable[s.outer] != "":
		e.Kind, e.Reason = Unservable, unservable[s.outer]
	case len(s.parts) > 0 && slices.Contains(Names(), s.outer):
		e.Reason = "it holds no other codec, and takes no arguments: name " + s.outer + " alone; " + e.Reason
	case s.outer == "":
		e.Reason = "the name is empty; " + e.Reason
	}
	return e
}
