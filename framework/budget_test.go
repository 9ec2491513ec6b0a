package framework_test

import (
	"errors"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
)

// errLate is returned by a play that needed more than its budget.
var errLate = errors.New("later than its budget allows")

// inBudgets plays something that has to end within a budget. A busy machine may be too
// slow for what is plenty on a quiet one: who is late plays again, with more. Code that
// uses up whatever it is given is late with every budget.
func inBudgets(t *testing.T, first time.Duration, play func(t *testing.T, budget time.Duration) error) {
	t.Helper()
	for _, budget := range []time.Duration{first, 4 * first, 16 * first} {
		err := play(t, budget)
		if err == nil {
			return
		}
		t.Logf("with a budget of %v: %v", budget, err)
		if !errors.Is(err, fault.ErrStopTime) && !errors.Is(err, errLate) {
			break
		}
	}
	t.Fail()
}
