package embedded

import (
	"context"

	"go.uber.org/fx"

	"github.com/duequeue/duequeue/framework"
)

// Module puts an embedded Redis into an fx application beside framework.Module. The
// configuration must say redis.url: embedded.
var Module = ModuleWith()

// ModuleWith is Module with options, for example Listen("127.0.0.1:6380") to look at
// a demo with redis-cli.
func ModuleWith(opts ...Option) fx.Option {
	return fx.Module("duequeue.embedded",
		fx.Provide(func(lc fx.Lifecycle) (framework.EmbeddedServer, error) {
			srv, err := Start(opts...)
			if err != nil {
				return nil, err
			}
			// Made before the client that needs it, hence stopped after it.
			lc.Append(fx.Hook{OnStop: func(context.Context) error { return srv.Close() }})
			return srv, nil
		}),
	)
}
