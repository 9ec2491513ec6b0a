package framework_test

import (
	"context"
	"fmt"
	"time"

	"github.com/duequeue/duequeue/framework"
)

// checkout is a service. It knows of the queue only what it needs, so that its tests need no
// Redis; in production it gets framework.Bind(client, queue).
type checkout struct{ timeouts framework.Offerer[string] }

func (c checkout) Place(ctx context.Context, number string) error {
	_, err := c.timeouts.Offer(ctx, number, 30*time.Minute, framework.Key(number))
	return err
}

// fakeTimeouts remembers what was offered.
type fakeTimeouts struct{ offered []string }

func (f *fakeTimeouts) Offer(_ context.Context, number string, delay time.Duration, opts ...framework.OfferOption) (framework.Receipt, error) {
	f.offered = append(f.offered, fmt.Sprint(number, " in ", delay, ", key ", opts[0]))
	return framework.Receipt{ID: "1", Due: time.Now().Add(delay)}, nil
}

func (f *fakeTimeouts) OfferAt(ctx context.Context, number string, at time.Time, opts ...framework.OfferOption) (framework.Receipt, error) {
	return f.Offer(ctx, number, time.Until(at), opts...)
}

// The test of a service that offers messages needs a fake of a dozen lines.
func ExampleOfferer() {
	fake := &fakeTimeouts{}
	service := checkout{timeouts: fake}
	if err := service.Place(context.Background(), "A-1"); err != nil {
		panic(err)
	}
	fmt.Println(fake.offered)

	var _ framework.Offerer[string] = framework.Bind(nil, deliveryLate) // what production uses
	// Output:
	// [A-1 in 30m0s, key A-1]
}
