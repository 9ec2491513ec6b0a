// Package cbor reads and writes the CBOR of Redisson's CborJacksonCodec and
// CborJackson3Codec.
package cbor
