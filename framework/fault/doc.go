// Package fault has the errors of package framework that carry data or that callers branch on.
// Find them with errors.As and errors.Is.
package fault
