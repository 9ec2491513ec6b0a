package rig

import (
	"bytes"
	"sync"
)

// Output keeps what a process writes. The zero value keeps all. It is safe for concurrent use.
type Output struct {
	// Most is how many bytes are kept, the last ones; 0 for all.
	Most int

	mu  sync.Mutex
	buf bytes.Buffer
}

// Write keeps p. It never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf.Write(p)
	if over := o.buf.Len() - o.Most; o.Most > 0 && over > 0 {
		o.buf.Next(over)
	}
	return len(p), nil
}

// String returns what is kept.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
