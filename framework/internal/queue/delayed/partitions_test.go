package delayed

import (
	"errors"
	"testing"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// Two processes agree where each serves the partitions to which the other offers.
func TestAgree(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	for i, c := range []struct {
		own   Spread
		agree bool
		noted Spread // after it
	}{
		{Spread{1, 0}, true, Spread{1, 0}}, // one is a number as well
		{Spread{4, 0}, false, Spread{1, 0}},
		{Spread{4, 1}, false, Spread{1, 0}},
		{Spread{1, 4}, true, Spread{1, 4}},
		{Spread{4, 1}, true, Spread{4, 1}},
		{Spread{4, 0}, true, Spread{4, 0}},
		{Spread{8, 0}, false, Spread{4, 0}},
		{Spread{1, 0}, false, Spread{4, 0}},
		{Spread{8, 4}, false, Spread{4, 0}}, // it would offer where others do not take
		{Spread{4, 8}, true, Spread{4, 8}},
		{Spread{4, 0}, true, Spread{4, 0}},
		{Spread{4, 8}, true, Spread{4, 8}},
		{Spread{8, 0}, false, Spread{4, 8}},
		{Spread{8, 4}, true, Spread{8, 4}},
		{Spread{4, 8}, true, Spread{4, 8}}, // one of them restarts
		{Spread{8, 4}, true, Spread{8, 4}},
		{Spread{4, 0}, false, Spread{8, 4}},
		{Spread{8, 8}, true, Spread{8, 0}},
		{Spread{8, 1}, true, Spread{8, 1}},
		{Spread{1, 8}, true, Spread{1, 8}},
		{Spread{1, 0}, true, Spread{1, 0}},
	} {
		err := Agree(t.Context(), rdb, Declared{Code: "Q", Keys: k, Spread: c.own})[0]
		var differ *fault.PartitionsError
		if c.agree && err != nil || !c.agree && !errors.As(err, &differ) {
			t.Errorf("%d: %v: %v", i, c.own, err)
		}
		if noted, err := NotedSpread(t.Context(), rdb, k); err != nil || noted != c.noted {
			t.Errorf("%d: %v: noted %v %v", i, c.own, noted, err)
		}
	}
	for _, text := range []string{"x", "0", "-1", "4 x", "99999", "4 8 9"} {
		rdb.HSet(t.Context(), k.Control, "partitions", text)
		_, err := NotedSpread(t.Context(), rdb, k)
		var unread *fault.PartitionsError
		if !errors.As(err, &unread) || unread.Noted != text || unread.Key != k.Control || unread.Error() == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	rdb.Del(t.Context(), k.Control)
	rdb.Set(t.Context(), k.Control, "x", 0)
	var wrong *fault.WrongTypeError
	if err := Agree(t.Context(), rdb, Declared{Keys: k, Spread: Spread{N: 2}})[0]; !errors.As(err, &wrong) {
		t.Errorf("wrong type: %v", err)
	}
}
