// Package registry describes queues.
package registry
