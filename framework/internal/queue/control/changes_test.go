package control

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
)

// One process at a time saves a change: who goes on with it takes it from the one before.
func TestOneOwner(t *testing.T) {
	t.Parallel()
	rdb, k := lab.Connect(t, lab.Shared.Addr()), queuetest.NewQueue()
	c := Change{ID: "1", Owner: "a", ChangeState: ChangeState{Path: "/x", By: "ann b", Form: map[string][]string{"text": {"north west"}}, Began: time.Now().Round(0), Done: 3}}
	if _, err := SaveChange(t.Context(), rdb, k, c, ""); err != nil {
		t.Fatal(err)
	}
	all, err := Changes(t.Context(), rdb, k)
	if err != nil || len(all) != 1 || all[0].Done != 3 || all[0].Owner != "a" || all[0].By != "ann b" || all[0].Over() {
		t.Fatalf("%+v %v", all, err)
	}
	c.Owner, c.Ended = "b", "stopped"
	if _, err := SaveChange(t.Context(), rdb, k, c, "c"); !errors.Is(err, ErrTaken) {
		t.Errorf("of somebody else: %v", err)
	}
	if _, err := SaveChange(t.Context(), rdb, k, c, "a"); err != nil {
		t.Error(err)
	}
	if err := ForgetChange(t.Context(), rdb, k, "1", "a"); !errors.Is(err, ErrTaken) {
		t.Errorf("the owner before: %v", err)
	}
	if all, err = Changes(t.Context(), rdb, k); err != nil || len(all) != 1 || !all[0].Over() {
		t.Errorf("%+v %v", all, err)
	}
	if err := ForgetChange(t.Context(), rdb, k, "1", "b"); err != nil {
		t.Error(err)
	}
	if all, err = Changes(t.Context(), rdb, k); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}

// What is remembered is bounded, and ends by itself.
func TestBounded(t *testing.T) {
	t.Parallel()
	rdb, k := lab.Connect(t, lab.Shared.Addr()), queuetest.NewQueue()
	for i := range 2 * MostChanges {
		if _, err := SaveChange(t.Context(), rdb, k, Change{ID: fmt.Sprint(i), Owner: "a"}, ""); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Changes(t.Context(), rdb, k)
	if life := rdb.PTTL(t.Context(), k.Changes).Val(); err != nil || len(all) != MostChanges || life <= 0 || life > keepChanges {
		t.Errorf("%d, for %v, %v", len(all), life, err)
	}
}
