package token

// Fixed is an optional part of a [Generator], for formats in which a key or class
// always has the same bytes: JSON, CBOR and MsgPack, but not Smile with its back
// references. Who writes the same names again and again renders them once.
//
// What a Render method returns may be given to the Fixed method of its name on any
// generator of the same format and rules. Rendering says nothing to the generator:
// it is allowed before Begin, and writes nothing.
type Fixed interface {
	// RenderKey renders what Key(name) writes, apart from what separates members.
	RenderKey(name string) (string, error)
	// RenderObject renders what Object(class, n) writes, as far as it does not
	// depend on n. Class is not empty.
	RenderObject(class string) (string, error)
	// RenderWrap renders what Wrap(class) writes.
	RenderWrap(class string) (string, error)

	// FixedKey is Key.
	FixedKey(rendered string)
	// FixedObject is Object, for n members beside the class.
	FixedObject(rendered string, n int)
	// FixedWrap is Wrap.
	FixedWrap(rendered string)
}
