package payloads

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/gosource"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/javadesc"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const javadescHelp = `
javadesc reads classes as the Java compiler left them: .class files, directories
of them, jars, Spring Boot's jars with the jars inside. It runs no Java.

Without -check it prints Go source with a type for each CLASS and all that these
refer to, so that you need not type a large DTO by hand:
  duequeue javadesc -classes shop.jar -package orders com.shop.Order > orders.go
A CLASS is a binary name (com.shop.Order$Item), one with dots for nested classes,
a simple name that is there once, or all classes of a package: com.shop.dto.*

Java types become Go types:
  int long Integer Long …     int32 int64 *int32 *int64 …
  String                      string; *string with -nulls
  Date, Timestamp, Instant    time.Time, whose zero value is null
  LocalDate, BigDecimal …     pointers to the types of codecs/java; *big.Int
  lists, sets, arrays, maps   slices and maps
  enums                       string types with constants
  classes and records         structs; the superclass is embedded
  type parameters             those of Go
  Object, interfaces          any
A field's tag gives the Java type only where the Go type does not imply it, and
what Jackson's annotations say: the name in JSON, formats of dates, numbers as text.
Edit the result as you like: int32 for *int32 where null never comes, fewer
fields never.

With -text the types are for JSON that Java makes itself and offers as a String: json
tags with the names that Jackson, fastjson or fastjson2 take from getters, numbers or
texts for dates, and what annotations say, for registry.Codec(jackson.JSON()).

With -check the arguments are Go packages (directories, also ./...) and .go
files. Every type with a JavaClass method is compared with its class: kind, final,
superclass, type parameters, fields, enum constants, what Jackson's annotations say
of all these, and the serialVersionUID where one is declared. Each difference is a
line, and the exit code is 1:
  duequeue javadesc -check -classes shop.jar ./...
What annotations say is a note, and no difference, where no codec follows it: -codec
names the codec; without it, the packages import one of Jackson's, or a type has such tags.
With -queue the Go types are compared with what is in the queue instead of a jar, or as well: a sample of
what is pending and ready is read with the classes that the types declare, compared with them field
by field, and written again; -codec says the codec where the bytes do not, and -class the class of the
messages where the codec writes none:
  duequeue javadesc -check -redis redis://host:6379 -queue ORDERS ./...
The Go source is read, not compiled: JavaClass must return a constant, and classes
that only BindOptions.Classes names are not seen. Where several types have one
class, as variants during a deployment, one of them must fit.
`

func javadescCommand(e *env.Env) *cli.Command {
	d := &describer{}
	return e.Command(env.Spec{
		Name: "javadesc", Args: "CLASS… | -check PACKAGE_OR_FILE.go…", Short: "describe Java classes as Go types, or check that Go types fit them",
		Group: env.GroupPayload, Long: javadescHelp,
		Examples: []string{"duequeue javadesc -classes shop.jar -package orders com.shop.Order > orders.go", "duequeue javadesc -check -classes shop.jar ./...", "duequeue javadesc -check -queue ORDERS ./..."},
		Flags: []cli.Flag{
			env.Func("classes", "read classes from `FILE.jar|DIR`; may be given several times", d.classes.Set),
			env.String(&d.opts.Package, "package", "messages", "`NAME` of the Go package"),
			env.Bool(&d.opts.Only, "only", false, "leave out what the classes refer to, apart from superclasses and enums"),
			env.Bool(&d.opts.Nulls, "nulls", false, "pointers also for strings and for elements of lists and maps"),
			env.Func("text", "types for StringCodec, with json tags: the `LIBRARY` that makes the text is jackson, fastjson or fastjson2", d.setText),
			env.Bool(&d.check, "check", false, "compare Go types with the classes instead"),
			env.List(&d.queues, "queue", "with -check: compare with what is in this `QUEUE`; may be given several times"),
			env.String(&d.payloads.Codec, "codec", "", "with -check: codec `NAME` that the types are for, and that of the queue; without it each payload tells"),
			env.String(&d.payloads.Class, "class", "", "`CLASS` of the messages, for codecs that write none"),
			env.Int64(&d.sample, "sample", 200, "how many pending and ready messages of each queue to compare"),
		},
		Run: func(ctx context.Context, args []string) error { return d.run(ctx, e, args) },
	})
}

// describer is one run of the javadesc command.
type describer struct {
	classes env.Paths
	opts    javadesc.Options
	check   bool

	queues   []string
	payloads javadesc.Payloads
	sample   int64
}

func (d *describer) setText(name string) error {
	if !slices.Contains(classfile.Libraries, name) {
		return fmt.Errorf("there are %s", strings.Join(classfile.Libraries, ", "))
	}
	d.opts.Text = classfile.Library(name)
	return nil
}

// json says whether the codec that was named follows Jackson's annotations.
func (d *describer) json() (javadesc.JSON, error) {
	if d.payloads.Codec == "" {
		return javadesc.JSONAsWritten, nil
	}
	c, err := catalog.Find(d.payloads.Codec)
	if err != nil {
		return 0, env.Usagef("-codec: %v", err)
	}
	if inner, _ := codecs.TextIn(c); strings.Contains(inner.Name(), "jackson") {
		return javadesc.JSONUsed, nil
	}
	return javadesc.JSONUnused, nil
}

func (d *describer) run(ctx context.Context, e *env.Env, args []string) (err error) {
	switch {
	case !d.check && (len(d.queues) > 0 || d.payloads.Codec+d.payloads.Class != ""):
		return env.Usagef("-queue, -codec and -class are for -check")
	case len(d.classes) == 0 && !d.check:
		return env.Usagef("-classes is missing: a jar or a directory of classes")
	case len(d.classes) == 0 && len(d.queues) == 0:
		return env.Usagef("-classes or -queue is missing: a jar, a directory of classes, or a queue")
	case len(args) == 0 && d.check:
		return env.Usagef("name the Go packages or files to check, for example ./...")
	case d.sample < 1:
		return env.Usagef("-sample must be positive")
	}
	if d.check {
		return d.compare(ctx, e, args)
	}
	source, err := classfile.Open(d.classes...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if len(args) == 0 {
		return env.Usagef("name the classes to describe; there are %s", some(source.Names()))
	}
	return d.generate(e, source, args)
}

// some lists a few names of many.
func some(names []string) string {
	names = slices.DeleteFunc(names, func(n string) bool { return strings.Contains(n, "$") })
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func (d *describer) generate(e *env.Env, source *classfile.Source, args []string) error {
	var names []string
	for _, arg := range args {
		found, err := resolve(source, arg)
		if err != nil {
			return err
		}
		names = append(names, found...)
	}
	bases := make([]string, len(d.classes))
	for i, path := range d.classes {
		bases[i] = filepath.Base(path)
	}
	d.opts.From = strings.Join(bases, ", ")
	src, err := javadesc.Generate(source, d.opts, names...)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Line(map[string]string{"source": string(src)})
	}
	_, err = e.Stdout.Write(src)
	return err
}

// resolve returns the classes that one argument names.
func resolve(source *classfile.Source, arg string) ([]string, error) {
	pkg, all := strings.CutSuffix(arg, ".*")
	if !all {
		name, err := source.Find(arg)
		return []string{name}, err
	}
	var names []string
	for _, name := range source.Names() {
		rest, ok := strings.CutPrefix(name, pkg+".")
		if !ok || strings.ContainsAny(rest, ".$") {
			continue
		}
		f, err := source.File(name)
		if err != nil {
			return nil, err
		}
		if !f.Access.Is(classfile.Interface) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("package %s has no classes there; there are %s", pkg, some(source.Names()))
	}
	return names, nil
}

func (d *describer) compare(ctx context.Context, e *env.Env, args []string) (err error) {
	packages, err := gosource.Load(args...)
	if err != nil {
		return err
	}
	json, err := d.json()
	if err != nil {
		return err
	}
	var report javadesc.Report
	if len(d.classes) > 0 {
		source, missing := classfile.Open(d.classes...)
		if missing != nil {
			return missing
		}
		report = javadesc.Check(source, packages, json)
		if err = source.Close(); err != nil {
			return err
		}
	}
	fromJar := len(report.Differences)
	if len(d.queues) > 0 {
		if err = d.read(ctx, e); err != nil {
			return err
		}
		pending, unknown := javadesc.CheckPayloads(packages, d.payloads)
		if unknown != nil {
			return env.Usage(unknown)
		}
		pending.Differences = append(report.Differences, pending.Differences...)
		report = pending
	}
	if report.Checked == 0 {
		return javadesc.ErrNothing
	}
	if e.JSON {
		if err := e.Line(report); err != nil {
			return err
		}
	} else {
		for i, difference := range report.Differences {
			line := difference.String()
			if i >= fromJar { // which others have written
				line = screen.Clean(line)
			}
			fmt.Fprintln(e.Stdout, line)
		}
		with := ""
		if len(d.queues) > 0 {
			with = " with " + screen.Count(report.Payloads, "payload")
		}
		fmt.Fprintf(e.Stdout, "%s checked%s, %s", screen.Count(report.Checked, "type"), with, screen.Count(report.Failures(), "difference"))
		if notes := len(report.Differences) - report.Failures(); notes > 0 {
			fmt.Fprintf(e.Stdout, ", %s: -codec names the codec that they are for", screen.Count(notes, "note"))
		}
		fmt.Fprintln(e.Stdout)
	}
	if report.Failures() > 0 {
		return env.ErrReported
	}
	return nil
}

// read reads a sample of the queues.
func (d *describer) read(ctx context.Context, e *env.Env) (err error) {
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if err = e.Exists(ctx, client, d.queues...); err != nil {
		return err
	}
	for _, name := range d.queues {
		if err = d.sampleOf(ctx, client, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *describer) sampleOf(ctx context.Context, client *framework.Client, name string) error {
	q, err := admin.Queue(ctx, client, name)
	if err != nil {
		return err
	}
	pending, err := q.Pending().Page(ctx, 0, d.sample)
	if err != nil {
		return err
	}
	ready, err := q.Ready().Page(ctx, 0, d.sample)
	if err != nil {
		return err
	}
	d.payloads.Bodies = slices.Concat(d.payloads.Bodies,
		bodiesOf(pending, func(m framework.PendingMessage[[]byte]) []byte { return m.Body }),
		bodiesOf(ready, func(m framework.ReadyMessage[[]byte]) []byte { return m.Body }))
	d.payloads.Bodies = slices.DeleteFunc(d.payloads.Bodies, func(b []byte) bool { return len(b) == 0 })
	return nil
}
