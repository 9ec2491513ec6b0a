// Package decoding reads payloads for people, of any codec: the one that is named, or the one
// that the bytes look like. User classes come from a jar as payloads turn out to hold them.
//
// It links all codecs, so that only tools use it: the command line and the console.
package decoding
