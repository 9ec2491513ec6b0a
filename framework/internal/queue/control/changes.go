package control

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	saveChangeScript  = library.Script("savechange")
	listChangesScript = library.Script("listchanges")
)

const (
	keepChanges = 7 * 24 * time.Hour
	// MostChanges is how many changes of a queue are remembered.
	MostChanges = 20
	// ChangeSilent is for how long a change that is under way may not be saved: then its process is gone.
	ChangeSilent = time.Minute
)

// ErrTaken says that another process has taken over a change, or that Redis no longer has the change.
var ErrTaken = errors.New("another process has taken over this change")

// Change is a change of many messages that has not come to its end: Redis has how far it is, in one
// hash for each queue, so that another process goes on where one was killed. What came to its end is
// forgotten at once, all others a week after the last of them was saved.
type Change struct {
	ID    string
	Owner string        // of those who save it, one at a time
	Idle  time.Duration // since it was saved, by the clock of Redis

	ChangeState
}

// ChangeState is how far a change is.
type ChangeState struct {
	Path   string              `json:"path"` // of the action
	Form   map[string][]string `json:"form"` // its parameters
	By     string              `json:"by"`
	Reason string              `json:"reason"`
	Began  time.Time           `json:"began"`
	Done   int64               `json:"done"`
	Ended  string              `json:"ended,omitempty"` // why it has ended early; "" while it is under way

	// From and Before bound the due times of what is left; zero is no bound.
	From   time.Time `json:"from,omitzero"`
	Before time.Time `json:"before,omitzero"`
}

// Over reports whether no process is at it.
func (c Change) Over() bool { return c.Ended != "" || c.Idle > ChangeSilent }

// SaveChange keeps how far a change is, by its owner until now, "" for a new one, and returns the time of
// Redis. The error [ErrTaken] says that it has another owner.
func SaveChange(ctx context.Context, rdb redis.Scripter, k wire.Keys, c Change, until string) (at time.Time, err error) {
	text, err := json.Marshal(c.ChangeState)
	if err != nil {
		return at, err
	}
	ms, err := saveChange(ctx, rdb, k, c.ID, until, c.Owner, string(text))
	return time.UnixMilli(ms).UTC(), err
}

// ForgetChange forgets a change that has come to its end.
func ForgetChange(ctx context.Context, rdb redis.Scripter, k wire.Keys, id, owner string) error {
	_, err := saveChange(ctx, rdb, k, id, owner, "", "")
	return err
}

func saveChange(ctx context.Context, rdb redis.Scripter, k wire.Keys, id, until, owner, text string) (ms int64, err error) {
	saved, err := saveChangeScript.Run(ctx, rdb, []string{k.Changes}, id, until, owner, text, keepChanges.Milliseconds(), MostChanges)
	if ms, _ = saved.(int64); err == nil && ms == 0 {
		err = ErrTaken
	}
	return ms, err
}

// Changes returns the changes of a queue, the newest first. What cannot be read is left out.
func Changes(ctx context.Context, rdb redis.Scripter, k wire.Keys) ([]Change, error) {
	value, err := listChangesScript.Run(ctx, rdb, []string{k.Changes})
	if err != nil {
		return nil, err
	}
	r := script.NewReader(listChangesScript, value)
	now := r.Text()
	var out []Change
	for range (r.Len() - 1) / 2 {
		c := Change{ID: r.Text()}
		owner, rest, _ := strings.Cut(r.Text(), " ")
		at, text, _ := strings.Cut(rest, " ")
		if json.Unmarshal([]byte(text), &c.ChangeState) == nil {
			c.Owner, c.Idle = owner, time.Duration(changeNumber(now)-changeNumber(at))*time.Millisecond
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(a.ID, b.ID)) })
	return out, r.Err()
}

func changeNumber(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}
