package frameworktest

import (
	"context"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// Handle registers a handler, with the options it has in the service. It must be
// called before the first Offer or Advance.
func Handle[T any](k *Kit, q *registry.Queue[T], h handlers.Handler[T], opts ...framework.ConsumeOption) {
	k.t.Helper()
	if k.engine != nil {
		k.t.Fatalf("frameworktest: the engine runs: register the handler of %s before the first Offer and Advance", q.Code())
	}
	// Inside the service's middlewares: what counts is what the handler said.
	all := append(append([]framework.ConsumeOption(nil), opts...), framework.Use(k.record, handlers.Recover()))
	k.consumers = append(k.consumers, framework.Consume(q, h, all...))
	k.queues = append(k.queues, q)
}

// HandleFunc registers a plain function; see [Handle].
func HandleFunc[T any](k *Kit, q *registry.Queue[T], f func(ctx context.Context, d *handlers.Delivery[T]) error, opts ...framework.ConsumeOption) {
	k.t.Helper()
	Handle(k, q, handlers.Func[T](f), opts...)
}
