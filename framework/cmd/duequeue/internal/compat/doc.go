// Package compat tells what becomes of messages of an old Java class in a program that has the
// new one, per codec, from the classes of both: nothing of Java runs.
//
//   - Formats that write names (Jackson's, River, java.io) are judged by rules about the types of the
//     fields: json.go and stream.go.
//   - Kryo 5 writes neither names nor lengths, so that what a change does depends on the bytes: kryo.go
//     writes a few messages as the old program does, reads them as the new one does, without a check,
//     and compares (compare.go) what comes out.
//
// A [Rewriter] gives messages of the old program the bytes of the new one: the codecs read and write them, and
// a walk (walk.go) makes of each value what the new classes declare, or says why nothing can. The same walk
// from a program to itself tells whether a payload is of that program.
//
// testdata has changes of classes (changes.txt), the classes that they were compiled to, and what
// the jars of three releases do with messages of them: every verdict here is what Java does.
// rewrites.tsv has what becomes of the messages when they are rewritten (with mappings.txt). "TestClassChanges"
// and "TestClassRecode" of the integration tests write these and hold them to the jars.
package compat
