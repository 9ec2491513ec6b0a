package framework_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/registry"
)

// A queue that was never defined is a mistake to be told, and no crash: also where a nil
// *registry.Queue stands in a registry.Descriptor.
func TestNilQueuesAreMistakes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var none *registry.Queue[string]
	for name, q := range map[string]registry.Descriptor{"nil": nil, "nil pointer": none} {
		_, err := framework.New(b.client, []framework.Consumer{framework.TransferOnly(q), framework.TransferOnly(stringQueue("other"))})
		if err == nil || !strings.Contains(err.Error(), "queue is nil") || !strings.Contains(err.Error(), "nilqueue_test.go:") {
			t.Errorf("%s: transfer only: %v", name, err)
		}
		for call, do := range map[string]func() error{
			"CountsOf":     func() error { _, err := framework.CountsOf(t.Context(), b.client, q); return err },
			"DeadMessages": func() error { _, err := framework.DeadMessages(t.Context(), b.client, q, "", 1); return err },
			"RedriveAll": func() error {
				_, err := framework.RedriveAll(t.Context(), b.client, q, framework.RedriveOptions{})
				return err
			},
			"Cancel":       func() error { return framework.Cancel(t.Context(), b.client, q, "x") },
			"ClearPending": func() error { _, err := framework.ClearPending(t.Context(), b.client, q); return err },
		} {
			if err := do(); err == nil || !strings.Contains(err.Error(), "queue is nil") {
				t.Errorf("%s: %s: %v", name, call, err)
			}
		}
	}
}

func TestNewNeedsAClient(t *testing.T) {
	t.Parallel()
	if _, err := framework.New(nil, []framework.Consumer{framework.TransferOnly(stringQueue("q"))}); err == nil || !strings.Contains(err.Error(), "client is nil") {
		t.Errorf("a nil client: %v", err)
	}
}
