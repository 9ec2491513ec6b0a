// Package endtoend_test runs the engine through its public API on real Redis
// servers: a cluster, an outage, a killed process, queues beside one another.
package endtoend_test

import (
	"os"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// TestMain becomes another program when a test starts this binary again.
func TestMain(m *testing.M) {
	if url := os.Getenv(envVictim); url != "" {
		victim(url)
		return
	}
	if spec := os.Getenv(envService); spec != "" {
		service(spec)
		return
	}
	if order := os.Getenv(envBulk); order != "" {
		bulkProducer(order)
		return
	}
	rig.ACLQueues = []string{"deployed", "crashes", "migrate *", "long", "failover", fleetQueue, defineVictims().Key(), defineBulk().Key()}
	rig.ACLOperators = []string{"TestMigrat", "TestFleet"}
	os.Exit(m.Run())
}

// size is short in the short form of the tests, and long in the long one.
func size(short, long int) int {
	if lab.LongForm() {
		return long
	}
	return short
}

// define declares a queue of strings named after the test.
func define(t testing.TB, suffix string, opts ...registry.Option) *registry.Queue[string] {
	t.Helper()
	q := registry.Define[string](rig.QueueName(t, suffix), suffix, append(opts, registry.Codec(codecs.String()))...)
	if err := q.Err(); err != nil {
		t.Fatal(err)
	}
	return q
}
