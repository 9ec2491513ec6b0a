// Package fastjson2 has the Go types that duequeue javadesc -text fastjson2 writes.
package fastjson2
