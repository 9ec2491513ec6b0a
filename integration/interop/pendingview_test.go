package interop_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/registry"
)

// delivered offers a and c, and b between them, which Go transfers.
func (o both) delivered(t testing.TB) (a framework.ID) {
	t.Helper()
	a = o.offer(t, "a", never)
	o.offer(t, "b", 0)
	o.offer(t, "c", never)
	engine := rig.Run(t, o.client, framework.TransferOnly(o.queue))
	lab.Wait(t, func() string {
		if c := rig.Counts(t, o.client, o.queue); c.Ready != 1 {
			return "b is not ready"
		}
		return ""
	})
	rig.Stop(t, engine)
	o.pending(t, 2)
	return a
}

// viewExact: Java's answers are those it would give without Go.
func viewExact(t testing.TB, b *bench) { exactView(t, newBoth(t, b)) }

// viewDuringPasses: Java's answers are right while Go passes over the list, since hundreds are
// due among others, and every message of one kind comes out and none of the other.
func viewDuringPasses(t testing.TB, b *bench) {
	const n, each = 6000, 6 // every sixth is due
	o := newBoth(t, b)
	engine := rig.Run(t, o.client, framework.TransferOnly(o.queue))
	defer rig.Stop(t, engine)
	due := time.Now().Add(2 * time.Second)
	done, err := framework.Bind(o.client, o.queue).OfferAll(t.Context(), func(yield func(framework.Item[string]) bool) {
		for i := range n {
			at := due
			if i%each != 0 {
				at = due.Add(never)
			}
			if !yield(framework.Item[string]{Value: fmt.Sprint(i), At: at}) {
				return
			}
		}
	})
	if err != nil || done.Added != n {
		t.Fatalf("%+v %v", done, err)
	}
	removed := map[string]bool{}
	lab.Wait(t, func() string {
		i := len(removed)*each + 1
		o.contains(t, fmt.Sprint(i), true)
		o.removes(t, fmt.Sprint(i), true)
		o.contains(t, fmt.Sprint(i), false)
		removed[fmt.Sprint(i)] = true
		if c := rig.Counts(t, o.client, o.queue); c.Ready < n/each && len(removed) < n/each {
			return fmt.Sprintf("%d are ready", c.Ready)
		}
		return ""
	})
	var want []string
	for i := range n {
		if v := fmt.Sprint(i); i%each != 0 && !removed[v] {
			want = append(want, v)
		}
	}
	var all []string
	for _, v := range o.java.Delayed().ReadAll(t) { // its order is free
		all = append(all, fmt.Sprint(v))
	}
	slices.Sort(all)
	slices.Sort(want)
	if !slices.Equal(all, want) {
		t.Errorf("readAll() has %d, want %d", len(all), len(want))
	}
	if c := rig.Counts(t, o.client, o.queue); c.Ready != n/each {
		t.Errorf("%d are ready, want %d", c.Ready, n/each)
	}
}

func exactView(t testing.TB, o both) {
	t.Helper()
	a := o.delivered(t)
	o.sees(t, "a", "c")
	o.contains(t, "b", false)
	o.removes(t, "b", false)
	o.cancel(t, a, nil)
	o.sees(t, "c")
	o.polls(t, "c")
	o.sees(t)
	o.pending(t, 0)
	o.takes(t, "b")
}

// viewOff: Java sees nothing of what Go offered, and takes it all the same.
func viewOff(t testing.TB, b *bench) {
	o := newBoth(t, b, registry.View(registry.ViewOff))
	a := o.delivered(t)
	o.sees(t)
	o.contains(t, "a", false)
	o.removes(t, "a", false)
	o.polls(t, nil)
	o.pending(t, 2)
	o.takes(t, "b")

	o.java.Hold(t) // Java transfers what its list does not hold
	o.reschedule(t, a, soon)
	o.takes(t, "a")
	o.pending(t, 1)
}
