// Package nulls is what javadesc -nulls makes of some classes in
// codecs/java/classfile/testdata, for the tests of javadesc.
package nulls
