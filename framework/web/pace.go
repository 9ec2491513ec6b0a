package web

import "github.com/duequeue/duequeue/framework/internal/budget"

// pace is for work that goes on behind an answer, or in one that is long.
func (c *Console) pace() *budget.CountedPace {
	return &budget.CountedPace{Pace: budget.PaceOf(c.options.SearchBudget)}
}
