package registry

import (
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/kryo5"
)

// defaultCodec is the codec of queues that are defined without one: what
// Redisson itself uses since 3.19. All queues share it.
var defaultCodec = sync.OnceValue(func() codecs.Codec { return kryo5.New() })
