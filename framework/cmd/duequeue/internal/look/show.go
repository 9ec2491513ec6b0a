package look

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/reading"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/words"
)

const showHelp = `
show says where a message is, when it is due, and what it holds. It is named by its ID, or with
-key by the key of its offer: "duequeue find" finds either. Where a message is due and not
pending any more, it says whether it is ready, in flight or dead. What Java has taken is gone
from Redis, and so is what was handled: then the exit code is 1.
`

// Show returns the command that shows one message.
func Show(e *env.Env) *cli.Command {
	s := &show{e: e}
	return e.Command(env.Spec{
		Name: "show", Args: "QUEUE ID | -key QUEUE KEY", Short: "show one message: where it is, when it is due, what it holds", Group: env.GroupLook, Long: showHelp,
		Examples: []string{"duequeue show ORDERS 18bcfe568000-a1b2c3d4e5f601", "duequeue show -key ORDERS 4711"}, JSON: showLine{},
		Flags: append([]cli.Flag{env.Bool(&s.key, "key", false, "the message is named by the key of its offer"), s.payloads.WholeFlag()}, s.payloads.Flags()...),
		Run:   s.run,
	})
}

type show struct {
	e        *env.Env
	key      bool
	payloads reading.Payloads
}

// showLine is a message in JSON.
type showLine struct {
	Queue  string `json:"queue"`
	ID     string `json:"id,omitempty"`
	Key    string `json:"key,omitempty"`
	Where  string `json:"where"` // pending, ready, in flight, dead
	Due    string `json:"due,omitempty"`
	Since  string `json:"since,omitempty"` // in flight, dead
	Entry  string `json:"entry,omitempty"` // dead
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	Failed int    `json:"failed,omitempty"`
	*reading.Value
}

func (s *show) run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return env.Usagef("show: name a queue and a message")
	}
	return s.payloads.With(ctx, s.e, func(ctx context.Context, client *framework.Client) error {
		q, err := s.e.Queue(ctx, client, args[0])
		if err != nil {
			return err
		}
		line, body, err := s.look(ctx, q, args[1])
		if err != nil {
			return err
		}
		line.Queue = args[0]
		return s.tell(line, body)
	})
}

func (s *show) tell(line showLine, body []byte) error {
	if s.e.JSON {
		if body != nil {
			value := s.payloads.ValueOf(body)
			line.Value = &value
		}
		return s.e.Line(line)
	}
	s.print(line)
	if body == nil {
		return nil
	}
	return s.payloads.Print(s.e.Stdout, body)
}

// look finds the message, and its body where that is known.
func (s *show) look(ctx context.Context, q *framework.Queue[[]byte], name string) (line showLine, body []byte, err error) {
	var m framework.PendingMessage[[]byte]
	if s.key {
		line.Key = name
		m, err = q.Pending().GetKey(ctx, name)
	} else {
		line.ID = name
		m, err = q.Pending().Get(ctx, framework.ID(name))
	}
	var gone *fault.NotPendingError
	switch {
	case err == nil:
		line.ID, line.Where, line.Due = string(m.ID), "pending", words.Stamp(m.Due)
		return line, m.Body, nil
	case errors.As(err, new(*fault.IDError)):
		return line, nil, fmt.Errorf("%w; \"duequeue find\" finds a message by what it holds", err)
	case !errors.As(err, &gone) || gone.Where == fault.WhereUnknown || gone.Where == fault.WhereCut:
		return line, nil, err
	}
	line.Where, line.Since, line.Entry = string(gone.Where), words.Stamp(gone.Since), gone.Entry
	if line.ID == "" {
		line.ID = gone.ID
	}
	if gone.Where != fault.WhereDead {
		return line, nil, nil
	}
	d, err := q.Dead().Get(ctx, gone.Entry)
	if err != nil {
		return line, nil, err
	}
	line.Due, line.Since, line.Reason, line.Detail, line.Failed = words.Stamp(d.Due), words.Stamp(d.At), d.Reason, d.Detail, d.Failed
	return line, d.Body, nil
}

func (s *show) print(line showLine) {
	w := s.e.Stdout
	at := func(text string) string {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return "unknown"
		}
		return s.e.Clock().At(t) + " " + s.e.Clock().Zone() + ", " + screen.Due(t, time.Now())
	}
	fmt.Fprintf(w, "where      %s\n", line.Where)
	if line.ID != "" {
		fmt.Fprintf(w, "id         %s\n", screen.Clean(line.ID))
	}
	if line.Key != "" {
		fmt.Fprintf(w, "key        %s\n", screen.Clean(line.Key))
	}
	if line.Due != "" || line.Where == "pending" {
		fmt.Fprintf(w, "due        %s\n", at(line.Due))
	}
	if line.Since != "" {
		fmt.Fprintf(w, "since      %s\n", at(line.Since))
	}
	if line.Entry != "" {
		fmt.Fprintf(w, "entry      %s: \"duequeue dead show\" tells more\n", screen.Clean(line.Entry))
		fmt.Fprintf(w, "reason     %s\ndetail     %s\nfailed     %d\n", screen.Clean(line.Reason), screen.Clean(line.Detail), line.Failed)
	}
}
