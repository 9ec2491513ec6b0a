// Package databind is what Redisson's Jackson codecs share, whatever bytes they
// write: which class ids are named where, what Java makes of numbers, dates and
// enums, what differs between releases, and how all of it binds to Go types. It
// works on the tokens of package token; a format adds its tokenizer and generator.
//
//	codec, binding, format, option, timeoption       the codec, bound types, what a format gives, options
//	rules, presets, dialect, final, class            facts: codecs, releases, classes
//	describe, generics, typeless, exact              facts: what declared types make of fields
//	reader, wrapper, object, beanread, specialread   by values: reading
//	writer, container, beanwrite, specialwrite       by values: writing
//	convert, scalar, decimal, jdk, arrays, enums, enumsets, holder, keys, throwable
//	                                                 by values: one family of classes each
//	dates, times, timeparse, timetext                java.util.Date and java.time
//	hint, plain                                      errors of bound types; plain JSON
//	typed, typedreader, typedwriter                  by plan: straight between tokens and variables
//	typedcompile, typedcontainer                     by plan: how plans are compiled
//	typedscalar, typedvalue, typedlist, typedmap, typedbean, typedany
//	                                                 by plan: one family of Go types each
package databind
