// Package fleet has the commands that show and steer the Go processes of a queue.
package fleet
