// Package databindtest shows tapes and values of the codecs of Jackson's family in tests of
// their formats.
package databindtest
