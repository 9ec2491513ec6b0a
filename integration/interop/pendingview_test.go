package interop_test

import (
	"testing"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/integration/rig"
	"github.com/duequeue/duequeue/registry"
)

// delivered offers a and c, and b between them, which Go transfers.
func (o both) delivered(t testing.TB) (a framework.ID) {
	t.Helper()
	a = o.offer(t, "a", never)
	o.offer(t, "b", 0)
	o.offer(t, "c", never)
	engine := rig.Run(t, o.client, framework.TransferOnly(o.queue))
	rig.Eventually(t, patient, func() string {
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

// viewUnordered: the same.
func viewUnordered(t testing.TB, b *bench) {
	exactView(t, newBoth(t, b, registry.View(registry.ViewUnordered)))
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

// viewLazy: Java sees what was delivered or cancelled until it is cleared off the list:
// size counts it, readAll and contains find it, remove and poll "take" it.
func viewLazy(t testing.TB, b *bench) {
	o := newBoth(t, b, registry.View(registry.ViewLazy))
	a := o.delivered(t)
	o.sees(t, "a", "b", "c")
	o.removes(t, "b", true) // though it is ready, and stays so
	o.sees(t, "a", "c")
	o.cancel(t, a, nil)
	o.sees(t, "a", "c")
	o.polls(t, "a") // though it is cancelled
	o.sees(t, "c")
	o.removes(t, "c", true) // what is pending is removed rightly
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
