// Package sample is what javadesc makes of the classes in
// codecs/java/classfile/testdata, for the tests of javadesc: that it compiles, and
// describes those classes.
package sample
