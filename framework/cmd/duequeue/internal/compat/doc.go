// Package compat tells what becomes of messages of an old Java class in a program that has the
// new one, per codec, from the classes of both: nothing of Java runs.
//
//   - Formats that write names (Jackson's, River, java.io) are judged by rules about the types of the
//     fields: json.go and stream.go.
//   - Kryo 5 writes neither names nor lengths, so that what a change does depends on the bytes: kryo.go
//     writes a few messages as the old program does, reads them as the new one does, without a check,
//     and compares (compare.go) what comes out.
//
// testdata has changes of classes (changes.txt), the classes that they were compiled to, and what
// the jars of three releases do with messages of them: every verdict here is what Java does.
// "TestClassChanges" of the integration tests writes both and holds them to the jars.
package compat
