// Package javadesc turns Java classes into Go source that describes them, and
// tells where Go source and Java classes differ.
package javadesc
