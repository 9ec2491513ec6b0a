package lease

import (
	"testing"
	"time"
)

func TestExpiryByEitherClock(t *testing.T) {
	t.Parallel()
	e := expiry{epoch: time.Now()}
	now := e.epoch.Add(time.Hour)
	if e.over(now) {
		t.Fatal("over before the first renewal")
	}
	e.set(now)
	if e.over(now) || !e.over(now.Add(1)) {
		t.Fatal("not over right after its end")
	}
	e.wall.Store(now.UnixNano() - int64(time.Minute)) // the machine was suspended: only the wall clock moved on
	if !e.over(now) {
		t.Fatal("the wall clock is not looked at")
	}
}
