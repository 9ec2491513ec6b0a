// Package fastjson has the Go types that duequeue javadesc -text fastjson writes.
package fastjson
