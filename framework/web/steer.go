package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// steerActions pause and bound all processes of a queue.
func (c *Console) steerActions() []action {
	return []action{
		{path: "/queue/pause", params: []string{"for"}, absent: true, verb: "pause", role: RoleOperate, do: c.pause},
		{path: "/queue/resume", absent: true, verb: "resume", role: RoleOperate, do: c.resume},
		{path: "/queue/limit", params: []string{"rate", "workers"}, absent: true, verb: "limit", role: RoleOperate, do: c.limit},
	}
}

func (c *Console) pause(ctx context.Context, a *acting) (string, error) {
	o := admin.PauseOptions{Reason: a.reason, By: a.user.Name}
	if text := a.query.Get("for"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return "", refuse(http.StatusUnprocessableEntity, "A pause lasts for a time such as 15m or 4h, or until it is ended")
		}
		o.For = d
	}
	set, err := admin.Pause(ctx, c.client, a.queue, o)
	if err != nil {
		return "", settingError(err)
	}
	done := "Paused. No Go process takes from this queue"
	if p := set.Pause; p != nil && p.Until != nil {
		done += " for " + words.Span(p.Until.Sub(set.Now)+time.Second/2)
	}
	return done + "; " + admin.JavaGoesOn + ".", nil
}

func (c *Console) resume(ctx context.Context, a *acting) (string, error) {
	if _, err := admin.Resume(ctx, c.client, a.queue, a.user.Name); err != nil {
		return "", settingError(err)
	}
	return "Resumed: Go processes take from this queue again.", nil
}

func (c *Console) limit(ctx context.Context, a *acting) (string, error) {
	o := admin.LimitOptions{Reason: a.reason, By: a.user.Name, Rate: -1, Workers: -1}
	if text := strings.TrimSpace(a.query.Get("rate")); text != "" {
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil || rate <= 0 {
			return "", refuse(http.StatusUnprocessableEntity, "The rate is a number of messages a second, above 0; empty is no bound")
		}
		o.Rate = rate
	}
	if text := strings.TrimSpace(a.query.Get("workers")); text != "" {
		workers, err := strconv.Atoi(text)
		if err != nil || workers <= 0 {
			return "", refuse(http.StatusUnprocessableEntity, "Workers are a whole number above 0; empty is no bound")
		}
		o.Workers = workers
	}
	set, err := admin.SetLimit(ctx, c.client, a.queue, o)
	if err != nil {
		return "", settingError(err)
	}
	if set.Limit == nil {
		return "No bound is set any more: each process works as it was declared.", nil
	}
	return "Bounded: it reaches all Go processes within seconds.", nil
}

// settingError tells what the user has got wrong from what Redis has.
func settingError(err error) error {
	var wrong *fault.ControlError
	if errors.As(err, &wrong) {
		return &problem{status: http.StatusUnprocessableEntity, text: "This cannot be set", err: err}
	}
	return err
}
