package budget

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// Who waits for many turns gets them in turn with who waits for one.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, 100, 100)
		end, err := turns.Take(t.Context(), "greedy")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, who := range []string{"greedy", "greedy", "greedy", "greedy", "ann", "greedy", "bob", "ann"} {
			go func() {
				end, err := turns.Take(t.Context(), who)
				if err != nil {
					t.Error(err)
					return
				}
				got = append(got, who)
				end()
				end() // once more changes nothing
			}()
			synctest.Wait()
		}
		end()
		synctest.Wait()
		if want := []string{"greedy", "ann", "bob", "greedy", "ann", "greedy", "greedy", "greedy"}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if turns.free != 1 || turns.wait != 0 || len(turns.lines) != 0 {
			t.Errorf("%+v is left", turns)
		}
	})
}

// Who gives up waiting takes no turn from others, and waiting is bounded.
func TestTurnsThatAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, 2, 3)
		end, _ := turns.Take(t.Context(), "ann")
		over := errors.New("over")
		ctx, cancel := context.WithCancelCause(t.Context())
		var failed atomic.Int32
		for _, who := range []string{"ann", "ann", "bob"} {
			go func() {
				if _, err := turns.Take(ctx, who); errors.Is(err, over) {
					failed.Add(1)
				}
			}()
			synctest.Wait()
			if who == "ann" && turns.wait == 2 {
				if _, err := turns.Take(t.Context(), "ann"); !errors.Is(err, ErrCrowded) {
					t.Errorf("a third one of ann: %v", err)
				}
			}
		}
		if _, err := turns.Take(t.Context(), "cy"); !errors.Is(err, ErrCrowded) {
			t.Errorf("a fourth one: %v", err)
		}
		cancel(over)
		synctest.Wait()
		end()
		if failed.Load() != 3 || turns.free != 1 || turns.wait != 0 || len(turns.lines) != 0 {
			t.Errorf("%d failed, %+v is left", failed.Load(), turns)
		}
	})
}
