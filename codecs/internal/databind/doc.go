// Package databind is what Redisson's Jackson codecs share, whatever bytes they
// write: which class ids are named where, what Java makes of numbers, dates and
// enums, what differs between releases, and how all of it binds to Go types. It
// works on the tokens of package token; a format adds its tokenizer and generator.
package databind
