// Package change has the commands that change messages.
package change
