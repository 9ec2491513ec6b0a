package web

import "github.com/duequeue/duequeue/framework/internal/pace"

// pace is for work that goes on behind an answer, or in one that is long.
func (c *Console) pace() *pace.Counted { return &pace.Counted{Pace: pace.Of(c.options.SearchBudget)} }
