// Package gosource reads from Go source which Java classes its types describe,
// as gotypes.ClassesOf does for the types themselves, but without compiling or
// running anything: the build of a package that is being written may be broken,
// and a command has no way to load it.
//
// The source is parsed and type-checked by go/types with every error ignored and
// function bodies left out. Packages of the same module are read from disk;
// all others are stand-ins, in which each name that the source uses is an opaque
// type. That is enough: of foreign types only those of time, math/big and
// codecs/java say anything about Java, and those are known by name.
//
// What BindOptions.Classes says at a declaration cannot be seen here: only types
// with a JavaClass method have a class. Tests hold this package to gotypes.ClassesOf.
package gosource
