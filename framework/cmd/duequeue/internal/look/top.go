package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/background"
)

const topHelp = `
top shows the queues of a server, or those named, and looks again every two seconds (-every):
those that need a look first, with how fast their numbers change. Keys: q ends it, space
stops and goes on, s sorts otherwise (worst, name, ready, delayed, dead).

Without names it searches the database for queues when it starts and every half minute,
as "duequeue queues" does. It needs a terminal: for programs there is "duequeue queues -json".
`

// Top returns the command that shows queues and looks again and again.
func Top(e *env.Env) *cli.Command {
	t := &top{e: e, names: nil}
	return e.Command(env.Spec{
		Name: "top", Args: "[QUEUE...]", Short: "watch queues live, in a terminal", Group: env.GroupLook, Long: topHelp,
		Examples: []string{"duequeue top", "duequeue top ORDERS REFUNDS -every 1s"},
		Flags:    []cli.Flag{env.Duration(&t.every, "every", 2*time.Second, "pause between two looks")},
		Run:      t.run,
	})
}

// searchEvery is how often top searches for queues.
const searchEvery = 30 * time.Second

// top is one run.
type top struct {
	e     *env.Env
	every time.Duration
	names []string // given

	client  *framework.Client
	found   []string // searched for
	search  time.Time
	before  map[string]admin.QueueStatus // at the last look
	beforeT time.Time
	now     []judged
	rates   map[string]rate
	trouble error
	order   int
	stopped bool
}

// judged is a queue with its verdict.
type judged struct {
	admin.QueueStatus
	admin.Verdict

	Queue string
}

// rate is by how much numbers have changed, a second.
type rate struct{ ready, delayed, dead float64 }

func (t *top) run(ctx context.Context, names []string) (err error) {
	in, terminal := t.e.Stdin.(*os.File)
	switch {
	case t.every < 100*time.Millisecond:
		return env.Usagef("top: -every %v: at least 100ms", t.every)
	case !terminal || !screen.IsTerminal(in) || !screen.IsTerminal(t.e.Stdout):
		return env.Usagef("top needs a terminal; for programs there is \"duequeue queues -json\"")
	}
	ctx, client, end, err := t.e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	t.client, t.names = client, names
	if err = t.e.Exists(ctx, client, names...); err != nil {
		return err
	}
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	out := t.e.Stdout.(*screen.Writer).W
	fmt.Fprint(out, "\x1b[?1049h\x1b[?25l") // another screen, no cursor
	defer func() {
		fmt.Fprint(out, "\x1b[?25h\x1b[?1049l")
		err = errors.Join(err, term.Restore(int(in.Fd()), state))
	}()
	return t.loop(ctx, keysOf(ctx, in), out)
}

// keysOf sends the keys that are pressed. The goroutine ends with the program: a terminal
// cannot be told to stop waiting.
func keysOf(ctx context.Context, in io.Reader) <-chan byte {
	keys := make(chan byte)
	background.Go(ctx, "read keys", func() {
		defer close(keys)
		var b [1]byte
		for {
			if _, err := in.Read(b[:]); err != nil {
				return
			}
			keys <- b[0]
		}
	})
	return keys
}

func (t *top) loop(ctx context.Context, keys <-chan byte, out io.Writer) error {
	tick := time.NewTicker(t.every)
	defer tick.Stop()
	t.look(ctx)
	for {
		if _, err := io.WriteString(out, t.screen()); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case key, open := <-keys:
			switch {
			case !open, key == 'q', key == 3, key == 27: // Ctrl-C comes as a key in raw mode
				return nil
			case key == ' ':
				t.stopped = !t.stopped
			case key == 's':
				t.order = (t.order + 1) % len(orders)
			}
		case <-tick.C:
			if !t.stopped {
				t.look(ctx)
			}
		}
	}
}

// look asks Redis. What goes wrong is shown, and it tries again.
func (t *top) look(ctx context.Context) {
	names, err := t.queues(ctx)
	var now []admin.QueueStatus
	if err == nil {
		now, err = admin.StatusOf(ctx, t.client, names...)
	}
	if t.trouble = err; err != nil {
		return
	}
	at := time.Now()
	t.rates = map[string]rate{}
	current := map[string]admin.QueueStatus{}
	t.now = nil
	for _, q := range now {
		t.now = append(t.now, judged{q, admin.Judge(q), q.Queue})
		current[q.Queue] = q
		if old, ok := t.before[q.Queue]; ok {
			seconds := at.Sub(t.beforeT).Seconds()
			t.rates[q.Queue] = rate{float64(q.Ready-old.Ready) / seconds, float64(q.Delayed-old.Delayed) / seconds, float64(q.Dead-old.Dead) / seconds}
		}
	}
	t.before, t.beforeT = current, at
}

// queues returns the names to look at.
func (t *top) queues(ctx context.Context) ([]string, error) {
	if len(t.names) > 0 {
		return t.names, nil
	}
	if time.Since(t.search) < searchEvery {
		return t.found, nil
	}
	all, _, err := admin.Queues(ctx, t.client, admin.QueuesOptions{})
	if err != nil {
		return nil, err
	}
	t.found, t.search = nil, time.Now()
	for _, q := range all {
		t.found = append(t.found, q.Queue)
	}
	return t.found, nil
}

// orders are the ways to sort.
var orders = []struct {
	name    string
	compare func(a, b judged) int
}{
	{"worst", func(a, b judged) int {
		return cmp.Or(cmp.Compare(b.Rank(), a.Rank()), cmp.Compare(b.Lag, a.Lag), cmp.Compare(b.Dead, a.Dead), cmp.Compare(b.Ready, a.Ready))
	}},
	{"name", func(judged, judged) int { return 0 }},
	{"ready", func(a, b judged) int { return cmp.Compare(b.Ready, a.Ready) }},
	{"delayed", func(a, b judged) int { return cmp.Compare(b.Delayed, a.Delayed) }},
	{"dead", func(a, b judged) int { return cmp.Compare(b.Dead, a.Dead) }},
}

// screen is what is shown: each line ends what stood there before, and the last one clears
// what is below it.
func (t *top) screen() string {
	rows := slices.Clone(t.now)
	slices.SortFunc(rows, func(a, b judged) int {
		return cmp.Or(orders[t.order].compare(a, b), cmp.Compare(a.Queue, b.Queue))
	})
	var table screen.Table
	table.Header("QUEUE", "READY", "/S", "DELAYED", "/S", "OVERDUE", "DEAD", "/S", "LAG", "LISTEN", "GO", "STATE")
	for _, q := range rows {
		r := t.rates[q.Queue]
		table.Row(screen.Name(q.Queue), number(q.Ready), change(r.ready), number(q.Delayed), change(r.delayed), alarming(q.Overdue),
			alarming(q.Dead), change(r.dead), screen.Lag(q.Lag, q.LagAtLeast), number(q.Listeners), strconv.Itoa(q.Processes-q.Silent), StateText(q.Verdict))
	}
	var b strings.Builder
	w := &screen.Writer{W: &b, Coloured: screen.HasColours(t.e.Stdout)}
	head := fmt.Sprintf("duequeue top  %s %s  %s, sorted by %s", t.e.Clock().At(t.beforeT), t.e.Clock().Zone(), screen.Count(len(rows), "queue"), orders[t.order].name)
	if t.stopped {
		head += "  " + screen.Yellow.On("stopped")
	}
	if t.trouble != nil {
		head += "\n" + screen.Red.On(screen.Clean(t.trouble.Error()))
	}
	fmt.Fprintf(w, "%s\n%s\n\n", head, screen.Faint.On("q ends, space stops, s sorts"))
	table.Width = screen.Width(t.e.Stdout)
	_ = table.Write(w) // into memory
	w.Flush()
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	if height := screen.Height(t.e.Stdout); height > 1 && len(lines) > height {
		lines = append(lines[:height-1], fmt.Sprintf("… and %d more", len(lines)-height+1))
	}
	return "\x1b[H" + strings.Join(lines, "\x1b[K\r\n") + "\x1b[K\x1b[J"
}

func change(perSecond float64) string {
	if perSecond > -0.05 && perSecond < 0.05 {
		return ""
	}
	return fmt.Sprintf("%+.1f", perSecond)
}
