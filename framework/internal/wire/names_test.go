package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/fault"
)

// The table of spec 1.3.
func TestCheckName(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		kind string
	}{
		{"q", "ok"},
		{"orders:eu", "ok"},
		{"app:q", "ok"},
		{"a{b}c", "ok"},
		{"{{q}}", "ok"},
		{"a}b{c}", "ok"},
		{"ORDER_PAYMENT_TIMEOUT", "ok"},
		{"订单", "ok"},
		{"a}b", "slot"},
		{"q}", "slot"},
		{"a{b", "slot"},
		{"{q", "slot"},
		{"a{}b", "slot"},
		{"{}", "slot"},
		{"x{}y{z}", "slot"},
		{"", "name"},
		{"a\nb", "name"},
		{"redisson_delay_queue:{q}", "name"},
		{"redisson_delay_queue_timeout:a{q}", "name"},
		{"duequeue:inflight:{q}:session:nonce", "name"},
		{"duequeue:stage:{q}:session", "name"},
		{"duequeue:dead:{q}", "name"},
		{"duequeue:orders", "ok"},
		{"redisson_delay_queue", "ok"},
		{"a\x00b", "name"},
		{"\xff\xfe", "name"},
		{strings.Repeat("x", MaxNameBytes+1), "name"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := CheckName(c.name)
			var slot *fault.SlotError
			var name *fault.NameError
			switch {
			case c.kind == "ok" && err != nil,
				c.kind == "slot" && !errors.As(err, &slot),
				c.kind == "name" && !errors.As(err, &name):
				t.Fatalf("got %v, want %s", err, c.kind)
			case err != nil && err.Error() == "":
				t.Error("no text")
			}
			if slot != nil && slot.QueueSlot == slot.OtherSlot {
				t.Errorf("no difference in %+v", slot)
			}
		})
	}
}

// Values of CLUSTER KEYSLOT; TestClusterSlots asks a real node.
func TestSlot(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{
		"": 0, "123456789": 12739, "foo": 12182, "{user1000}.following": 3443, "{user1000}.followers": 3443,
	} {
		if got := Slot(key); got != want {
			t.Errorf("%q: got %d, want %d", key, got, want)
		}
	}
	for _, key := range []string{"foo{}{bar}", "foo{{bar}}zap", "foo{bar}{zap}"} {
		if Slot(key) < 0 || Slot(key) >= Slots {
			t.Errorf("%q: out of range", key)
		}
	}
	if Slot("foo{bar}{zap}") != Slot("bar") || Slot("foo{{bar}}zap") != Slot("{bar") {
		t.Error("hash tag rule")
	}
}

func TestTwin(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"q": "{q}", "{q}": "q", "q}": "{q}}", "{q}}": "q}", "": "", "{}": "", "a{b}": "", "{a{b}}": "", "{q": "",
	} {
		got, ok := Twin(name)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q %v, want %q", name, got, ok, want)
		}
		if ok && (KeysOf(got).Timeout != KeysOf(name).Timeout || KeysOf(got).Queue == name) {
			t.Errorf("%q and %q do not share their timeout set", name, got)
		}
	}
}

func TestKeysOf(t *testing.T) {
	t.Parallel()
	k := KeysOf("q")
	for got, want := range map[string]string{
		k.Queue: "q", k.Timeout: "redisson_delay_queue_timeout:{q}", k.Pending: "redisson_delay_queue:{q}",
		k.Channel: "redisson_delay_queue_channel:{q}", k.Sessions: "duequeue:sessions:{q}",
		k.Attempts: "duequeue:attempts:{q}", k.Due: "duequeue:due:{q}", k.Head: "duequeue:head:{q}", k.Trace: "duequeue:trace:{q}", k.IDs: "duequeue:ids:{q}",
		k.Dead: "duequeue:dead:{q}", k.Dedup: "duequeue:dedup:{q}", k.Control: "duequeue:control:{q}", k.Processes: "duequeue:processes:{q}",
		k.Fetches("s"): "duequeue:fetches:{q}:s", k.Inflight("s", "n"): "duequeue:inflight:{q}:s:n",
		k.Stage("s"): "duequeue:stage:{q}:s",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := KeysOf("a{b}c").Timeout; got != "redisson_delay_queue_timeout:a{b}c" {
		t.Errorf("got %q", got)
	}
	for _, key := range append(k.All(), k.Fetches("s"), k.Inflight("s", "n"), k.Stage("s")) {
		if Slot(key) != Slot("q") {
			t.Errorf("%q lies in another slot", key)
		}
	}
}

// What a declaration may not be called, a queue that exists may, but for what is no queue.
func TestCheckFound(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"q": true, " q ": true, "a\nb": true, "\x00": true, "\xff\xfe": true, strings.Repeat("x", MaxNameBytes+1): true,
		"": false, "redisson_delay_queue:{q}": false, "duequeue:dead:{q}": false, "a}b": false,
	} {
		if err := CheckFound(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
