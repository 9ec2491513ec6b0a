package registry_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/registry"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	if p := registry.Define[string]("A", "", registry.Codec(fake)).Policy(); p.JournalKeep != 0 || p.JournalLimit != 0 || p.JournalFields() != nil {
		t.Errorf("by default %+v", p)
	}
	type order struct {
		ID string `java:"orderId"`
	}
	q := registry.Define[order]("A", "", registry.Codec(fake), registry.Journal(time.Hour, "orderId"))
	if p := q.Policy(); q.Err() != nil || p.JournalKeep != time.Hour || p.JournalLimit != registry.DefaultJournalLimit || !slices.Equal(p.JournalFields(), []string{"orderId"}) {
		t.Errorf("%+v, %v", p, q.Err())
	}
	q = registry.Define[order]("A", "", registry.Codec(fake), registry.JournalLimit(5000), registry.Journal(time.Hour))
	if p := q.Policy(); q.Err() != nil || p.JournalLimit != 5000 {
		t.Errorf("%+v, %v", p, q.Err())
	}
	for want, opts := range map[string][]registry.Option{
		"option Journal(1m0s): must keep records for at least 10m0s; without the option none are": {registry.Journal(time.Minute)},
		`option Journal("orderID"): type registry_test.order has no field "orderID" for Java`:     {registry.Journal(time.Hour, "orderID")},
		`option Journal("*"): name the fields`:                                                    {registry.Journal(time.Hour, "*")},
		`option Journal("a b"): is no path`:                                                       {registry.Journal(time.Hour, "a b")},
		"option JournalLimit(999): must be at least 1000":                                         {registry.Journal(time.Hour), registry.JournalLimit(999)},
		"option JournalLimit(1000): there is no journal":                                          {registry.JournalLimit(1000)},
		`option Journal(1h0m0s, "orderId"): given twice`:                                          {registry.Journal(time.Hour), registry.Journal(time.Hour, "orderId")},
		`option Journal("orderId"): given twice: which one c`:                                     {registry.Journal(time.Hour, "orderId", "orderId")},
	} {
		err := registry.Define[order]("A", "", append(opts, registry.Codec(fake))...).Err()
		var oe *registry.OptionError
		if !errors.As(err, &oe) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}
