// Package databind is what Redisson's Jackson codecs share, whatever bytes they
// write: which class ids are named where, what Java makes of numbers, dates and
// enums, what differs between releases, and how all of it binds to Go types. It
// works on the tokens of package token; a format adds its tokenizer and generator.
//
// Bind compiles a Go type into nodes, one for each part in its place, and one walk reads
// and writes them. The empty interface, and types of package java, are nodes too: they hold
// Java values, for which the same reader and writer ask the same places.
//
//	codec, option                     the codec, what a format gives, bound types, options
//	rules, fieldrules                 facts: codecs, releases, classes, annotations of fields
//	mapper, mapperoptions, pattern    the ObjectMapper of a service, patterns of dates
//	describe, place                   what declared types make of values, and where values stand
//	compile, compilecontainer, node   Go types as nodes
//	struct, list, map, any            nodes of types with parts
//	usual, leaf                       nodes of one value: the usual ones, and all others
//	reader, writer                    one payload, one value
//	javaread, javawrite               Java values
//	scalarread, specialread, specialwrite, convert, jdk, holder, throwable
//	                                  Java values: one family of classes each
//	dates, times, pattern             java.util.Date and java.time
package databind
