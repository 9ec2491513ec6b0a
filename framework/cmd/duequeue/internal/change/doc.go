// Package change has the commands that change messages and steer processes.
package change
