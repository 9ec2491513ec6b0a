package repair

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/deadletter"
)

// exportStep is how many letters are written before they are deleted together.
const exportStep = 200

// export is the file that dead letters are added to.
type export struct{ file *os.File }

// openExport opens the file before anything is done. What another run has written stays.
func openExport(name string) (*export, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &export{file: file}, nil
}

func (x *export) close() error { return x.file.Close() }

// all writes and deletes the dead letters of a queue. A letter is deleted when its line is on
// the disk; one whose deletion did not come to its end is written again by the next run.
func (x *export) all(ctx context.Context, q *framework.Queue[[]byte], queue string, tell func(n int64)) (n int64, err error) {
	out := json.NewEncoder(x.file)
	out.SetEscapeHTML(false)
	written := deadletter.Dropping{View: q.Dead(), Step: exportStep, Before: x.file.Sync}
	for m, err := range q.Dead().All(ctx, framework.DeadFilter{}) {
		if err != nil {
			err = errors.Join(err, written.Flush(ctx))
			return written.Dropped, err
		}
		if err := out.Encode(deadletter.ExportOf(queue, m)); err != nil {
			return written.Dropped, err
		}
		if err := written.Add(ctx, m.Entry); err != nil {
			return written.Dropped, err
		}
		tell(written.Dropped)
	}
	err = written.Flush(ctx)
	tell(written.Dropped)
	return written.Dropped, err
}
