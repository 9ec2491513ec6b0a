package registry

import "github.com/duequeue/duequeue/codecs"

// defaultCodec is the codec of queues that are defined without one.
func defaultCodec() codecs.Codec { return nil }
