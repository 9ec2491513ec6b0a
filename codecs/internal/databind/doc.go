// Package databind is what Redisson's Jackson codecs share, whatever bytes they
// write: which class ids are named where, what Java makes of numbers, dates and
// enums, what differs between releases, and how all of it binds to Go types. It
// works on the tokens of package token; a format adds its tokenizer and generator.
//
// Bind compiles a Go type into nodes, one for each part in its place, and one walk reads
// and writes them. The empty interface, and types of package java, are nodes too: they hold
// Java values, for which the same reader and writer ask the same places.
//
//	codec, binding, format, option, timeoption       the codec, bound types, what a format gives, options
//	rules, presets, dialect, final, class            facts: codecs, releases, classes
//	describe, generics, typeless                     facts: what declared types make of fields
//	place                                            what stands around a value, and where its parts stand
//	compile, compilecontainer, node                  Go types as nodes
//	struct, list, map, pointer, any, open            one kind of node each
//	usual, usualvalues, leaf, keys, exact            nodes of one value: the usual ones, and all others
//	reader, writer, texts                            one payload, one value
//	javaread, javaobject, javawrite, javabean        Java values
//	scalarread, specialread, specialwrite, convert, scalar, decimal, jdk, arrays, enums, enumsets, holder, throwable
//	                                                 Java values: one family of classes each
//	dates, times, timeparse, timetext                java.util.Date and java.time
//	hint, plain                                      errors of bound types; plain JSON
package databind
