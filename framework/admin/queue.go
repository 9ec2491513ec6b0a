package admin

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// Queue binds a queue by its name alone. Its payloads are the bytes that lie in Redis,
// whatever codec wrote them. It is for inspection and operators' changes: what you offer
// through it must be what the codec of the queue would write.
func Queue(c *framework.Client, name string) *framework.Queue[[]byte] {
	return framework.Bind(c, registry.Define[[]byte](name, "", registry.Codec(codecs.ByteArray())))
}
