// Package codecs turns bytes into values: it defines what a codec is, the limits
// every decoder keeps, the errors all of them return, and Redisson's plain codecs.
// Each richer Java format is one package below it.
//
// # Which codec
//
// Declare the codec that the Java services set on their Redisson client or queue.
// Nothing in a queue names its codec, and no other codec can read the messages. If Java
// set none, it is the default of its release:
//
//	Redisson 3.19 to 4.7     Kryo5Codec           kryo5.New(), the default here
//	Redisson 3.13 to 3.18    MarshallingCodec     marshalling.New()
//	Redisson 3.10 to 3.12    FstCodec             fst.New(), which reads only
//	Redisson up to 3.9       JsonJacksonCodec     jackson.JsonJackson()
//
// Where both sides are free to choose, a codec that names no Java classes is the
// easiest: jackson.TypedJsonJackson, or jackson.JSON behind Java's StringCodec.
//
// Each package's documentation names Java's option or class beside the Go one. If you
// have a payload, "duequeue decode" tells what it looks like. While Java moves from one
// codec to another, [AnyOf] reads what either wrote.
//
// # What is common to all
//
// Options of one name mean the same in all codecs that have them: Limits bounds what is
// decoded; Since names the release of Redisson on the Java side; Classes describes classes
// that have no Go type, and adds up; RefuseUnknownFields and RefuseMissingFields make
// errors of fields that payload and Go type do not share.
//
// A codec is made once, from options, and is immutable and safe for concurrent use.
// Mistakes in options and types are reported by Bind, all together, never by a panic. A
// queue binds its codec to its Go type when it is declared; [For] does so by hand.
// Struct tags and Java classes are the same for all codecs, as package java describes
// them, apart from jackson.JSON, which has the json tags of encoding/json. [Limits]
// bound what a payload may cost, whatever its bytes say.
package codecs
