package payloads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/compat"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const compatHelp = `
compat tells, before a deployment, what becomes of the messages of the old Java program in the new one.
It reads the classes of both from their jars (Spring Boot's too), and runs no Java. For each class
and codec it says one of:
  same        every value arrives
  default     what the old message lacks is null, zero or the initial value
  loses       the message is read, and a value of it is gone
  unknown     the class writes itself (writeObject, Externalizable), and only Java can tell
  fails       reading throws: Java has popped the message by then, and loses it
  WRONG       Java reads without an error what was never written
  unwritten   the old program cannot write such a message

Kryo 5, the default codec, writes the values of fields without their names: a new field, a removed one
or another type shifts or misreads what follows. A class counts with all that its fields refer to.

Without -class it judges the classes of the old jar that have changed, or refer to one that has, and
that may be messages: with fields, and Serializable, a record, or a bean with setters. A CLASS is named as for javadesc, or all of a package:
com.shop.dto.*. OLD=NEW says that the class has another name now, which matters for typedjsonjackson alone.

With -queue it judges the classes and codecs of the messages that are there, and counts them:
pending, ready, in flight (a sample) and dead. typedjsonjackson writes no class: name it by -class, and the
codec by -codec. What the old program offers after that is not counted. The Redis user needs what
"duequeue acl -role operate" prints.

The codecs are judged as Redisson 3.19.0 to 4.7.0 have them, and of those with an ObjectMapper of your own
typedjsonjackson+typing=NON_FINAL, as -codec names it, also with +as=PROPERTY. What a constructor or a static initializer puts into fields is not seen. The exit code is 1 where
something fails or is wrong: put the command into the build of the service.
`

func compatCommand(e *env.Env) *cli.Command {
	c := &comparing{e: e}
	return e.Command(env.Spec{
		Name: "compat", Args: "-old OLD.jar -new NEW.jar", Short: "tell what becomes of messages when their Java classes change",
		Group: env.GroupPayload, Long: compatHelp, JSON: compatLine{},
		Examples: []string{"duequeue compat -old shop-1.4.jar -new shop-1.5.jar -class 'com.shop.dto.*'", "duequeue compat -old shop-1.4.jar -new shop-1.5.jar -queue ORDERS -queue REFUNDS"},
		Flags: []cli.Flag{
			env.Func("old", "classes of the program that wrote the messages, `FILE.jar|DIR`; may be given several times", c.old.Set),
			env.Func("new", "classes of the program that will read them, `FILE.jar|DIR`; may be given several times", c.now.Set),
			env.List(&c.classes, "class", "judge messages of `CLASS`, or of OLD=NEW; may be given several times"),
			env.List(&c.codecs, "codec", "judge this codec `NAME`; may be given several times; all by default"),
			env.List(&c.queues, "queue", "judge and count the messages of this `QUEUE`; may be given several times"),
			env.Int64(&c.limit, "limit", 100000, "most messages of each kind of a queue to read"),
		},
		Run: c.run,
	})
}

// comparing is one run of the command.
type comparing struct {
	e        *env.Env
	old, now env.Paths
	classes  []string
	codecs   []string
	queues   []string
	limit    int64

	renamed map[string]string // of -class
	same    int               // classes that have not changed
}

// compatLine is what becomes of the messages of a class with a codec, in JSON.
type compatLine struct {
	Class   string     `json:"class"`
	Codec   string     `json:"codec"`
	Verdict string     `json:"verdict"`
	Path    string     `json:"path,omitempty"` // the field that decides; empty where it is the class itself
	Reason  string     `json:"reason,omitempty"`
	ToDo    string     `json:"toDo,omitempty"`
	Queues  []heldLine `json:"queues,omitempty"` // where such messages are, with -queue

	found compat.Finding
	total placeCounts // of all queues
}

func (c *comparing) run(ctx context.Context, args []string) (err error) {
	switch {
	case len(c.old) == 0 || len(c.now) == 0:
		return env.Usagef("compat: name the classes of both programs: -old and -new")
	case len(args) > 0:
		return env.Usagef("compat takes no arguments: name queues by -queue, classes by -class")
	case c.limit < 1:
		return env.Usagef("compat: -limit must be positive")
	}
	for _, codec := range c.codecs {
		if unknown := compat.Known(codec); unknown != nil {
			return env.Usagef("compat: %w", unknown)
		}
	}
	old, err := classfile.Open(c.old...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	now, err := classfile.Open(c.now...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, now.Close()) }()
	lines, err := c.judge(ctx, old, now)
	if err != nil {
		return err
	}
	if err = c.print(lines); err != nil {
		return err
	}
	if slices.ContainsFunc(lines, func(l compatLine) bool { return l.found.Verdict.Breaks() }) {
		return env.ErrReported
	}
	return nil
}

// judge returns a line for each class and codec, the worst first.
func (c *comparing) judge(ctx context.Context, old, now *classfile.Source) (lines []compatLine, err error) {
	if err = c.name(old); err != nil {
		return nil, err
	}
	j := compat.New(old, now)
	asked, err := c.asked(ctx, j, old)
	if err != nil {
		return nil, err
	}
	for _, a := range asked {
		f, err := j.Of(a.class, cmp.Or(c.renamed[a.class], a.class), a.codec)
		if err != nil {
			return nil, err
		}
		lines = append(lines, compatLine{f.Class, f.Codec, f.Verdict.String(), f.Path, f.Reason, f.ToDo(), a.queues, f, a.total()})
	}
	slices.SortStableFunc(lines, func(a, b compatLine) int {
		return cmp.Or(cmp.Compare(b.found.Verdict, a.found.Verdict), cmp.Compare(a.Class, b.Class))
	})
	return lines, nil
}

// name finds the classes of -class.
func (c *comparing) name(old *classfile.Source) error {
	c.renamed = map[string]string{}
	var found []string
	for _, arg := range c.classes {
		was, is, renamed := strings.Cut(arg, "=")
		names, err := resolve(old, was)
		if err != nil {
			return err
		}
		found = append(found, names...)
		if renamed {
			c.renamed[names[0]] = is
		}
	}
	c.classes = found
	return nil
}

// mostClasses is how many changed classes are judged without being named.
const mostClasses = 1000

// asked returns the classes and codecs to judge.
func (c *comparing) asked(ctx context.Context, j *compat.Judge, old *classfile.Source) (all []heldClass, err error) {
	if len(c.queues) > 0 {
		return c.count(ctx, old)
	}
	classes, codecs := c.classes, c.codecs
	if len(classes) == 0 {
		if classes, c.same, err = j.Changed(); err != nil {
			return nil, err
		}
	}
	switch {
	case len(classes) > mostClasses && len(c.classes) == 0:
		return nil, fmt.Errorf("%d classes that may be messages have changed, many of them perhaps of libraries: name those of the service with -class, as in -class 'com.shop.dto.*'", len(classes))
	case len(classes)+c.same == 0:
		return nil, fmt.Errorf("no class of %s looks like that of a message: name it with -class", strings.Join(c.old, ", "))
	case len(codecs) == 0:
		codecs = compat.Codecs()
	}
	for _, class := range classes {
		for _, codec := range codecs {
			all = append(all, heldClass{class: class, codec: codec})
		}
	}
	return all, nil
}

func (c *comparing) print(lines []compatLine) error {
	if c.e.JSON {
		for _, l := range lines {
			if err := c.e.Line(l); err != nil {
				return err
			}
		}
		return nil
	}
	table := screen.Table{}
	header := []string{"VERDICT", "CLASS", "CODEC", "WHAT"}
	if len(c.queues) > 0 {
		header = slices.Insert(header, 3, "PENDING", "READY", "IN FLIGHT", "DEAD")
	}
	table.Header(header...)
	for _, l := range lines {
		row := []string{verdictText(l.found.Verdict), screen.Clean(l.Class), l.Codec, screen.Clean(l.found.What())}
		if len(c.queues) > 0 {
			row = slices.Insert(row, 3, l.total.cells()...)
		}
		table.Row(row...)
	}
	if len(lines) > 0 {
		if err := table.Write(c.e.Stdout); err != nil {
			return err
		}
	}
	return c.advise(lines)
}

// advise says below the table what to do.
func (c *comparing) advise(lines []compatLine) error {
	var said []string
	for _, l := range lines {
		if l.ToDo != "" && !slices.Contains(said, l.ToDo) {
			said = append(said, l.ToDo)
			if _, err := fmt.Fprintf(c.e.Stdout, "%s, %s: %s.\n", l.Verdict, l.Codec, l.ToDo); err != nil {
				return err
			}
		}
	}
	var err error
	switch {
	case len(c.queues) > 0 && len(lines) == 0:
		_, err = fmt.Fprintln(c.e.Stdout, "no message of these classes is there")
	case c.same == 1:
		_, err = fmt.Fprintln(c.e.Stdout, "1 class has not changed")
	case c.same > 1:
		_, err = fmt.Fprintf(c.e.Stdout, "%d classes have not changed\n", c.same)
	}
	return err
}

func verdictText(v compat.Verdict) string {
	switch v {
	case compat.Wrong:
		return screen.Red.On("WRONG")
	case compat.Fails:
		return screen.Red.On(v.String())
	case compat.Loses, compat.Unknown:
		return screen.Yellow.On(v.String())
	case compat.Unwritten, compat.Same, compat.Default:
	}
	return v.String()
}
