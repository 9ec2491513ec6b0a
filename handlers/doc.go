// Package handlers is what a service writes against.
package handlers
