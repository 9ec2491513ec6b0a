package web

import (
	"context"
	"io"
	"net/http"
	"time"
)

// download is an answer that is a file. What it holds may be hidden on pages, so that it takes a
// reason and is in the audit.
type download struct {
	name, kind string
	verb       string // for the audit
	// write writes the file and says what came of it.
	write func(ctx context.Context, w io.Writer) (result string, err error)
}

// send answers with a file. What fails before its first byte is shown as a page; later the
// connection is cut, so that no one takes a part for the whole.
func (c *Console) send(w http.ResponseWriter, r *request, d *download) {
	reason, err := needsReason(r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.options.Log.InfoContext(r.Context(), "console: a file was asked for", "file", d.name, "queue", r.queue, "by", r.user.Name, "why", clean(reason), "target", targetOf(r))
	out := &sending{to: w, of: d}
	err = c.audit(r.Context(), r, d.verb, reason, func(ctx context.Context) (string, error) { return d.write(ctx, out) })
	switch {
	case err == nil:
		out.begin() // also where there is nothing to write
	case out.begun:
		c.options.Log.WarnContext(r.Context(), "console: a file was not sent whole", "file", d.name, "err", err)
		panic(http.ErrAbortHandler)
	default:
		c.fail(w, r, err)
	}
}

// stalled is how long a part of a file may take: a server may bound whole answers by less than a
// long file takes.
const stalled = time.Minute

// sending is a file on its way.
type sending struct {
	to    http.ResponseWriter
	of    *download
	begun bool
}

func (s *sending) begin() {
	if !s.begun {
		s.begun = true
		s.to.Header().Set("Content-Type", s.of.kind)
		s.to.Header().Set("Content-Disposition", `attachment; filename="`+s.of.name+`"`)
	}
}

func (s *sending) Write(p []byte) (int, error) {
	s.begin()
	_ = http.NewResponseController(s.to).SetWriteDeadline(time.Now().Add(stalled)) // where the server knows such
	return s.to.Write(p)
}
