package token

// Native is an optional part of a [Generator], for a format that has values of its
// own where others have texts: Ion's timestamps and symbols. Jackson 3 writes dates
// and enums as those.
type Native interface {
	// Timestamp writes a date, milliseconds since 1970. It returns an error for one
	// that the format cannot hold.
	Timestamp(millis int64) error
	// Symbol writes the name of an enum's constant.
	Symbol(name string) error
}
