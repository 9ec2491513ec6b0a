// Package databindtest holds the two ways of the codecs of Jackson's family together:
// what a typed plan reads or writes must be what the way by values does, to the byte.
// Every format runs it in its tests.
package databindtest
