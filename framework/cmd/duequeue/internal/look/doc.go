// Package look has the commands that show what is in queues.
package look
