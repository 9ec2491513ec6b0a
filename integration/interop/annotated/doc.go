// Package annotated has the Go types that duequeue javadesc writes of annotated Java classes.
package annotated
