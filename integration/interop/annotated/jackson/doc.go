// Package jackson has the Go types that duequeue javadesc -text jackson writes.
package jackson
