package main

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
The Go source is read, not compiled: JavaClass must return a constant, and classes
that only BindOptions.Classes names are not seen. Where several types have one
class, as variants during a deployment, one of them must fit.
`

func javadescCommand(e *env.Env) *cli.Command {
	d := &describer{}
	return e.Command(env.Spec{
		Name: "javadesc", Args: "CLASS… | -check PACKAGE_OR_FILE.go…", Short: "describe Java classes as Go types, or check that Go types fit them",
		Group: env.GroupPayload, Long: javadescHelp,
		Examples: []string{"duequeue javadesc -classes shop.jar -package orders com.shop.Order > orders.go", "duequeue javadesc -check -classes shop.jar ./..."},
		Flags: []cli.Flag{
			env.Func("classes", "read classes from `FILE.jar|DIR`; may be given several times", d.classes.Set),
			env.String(&d.opts.Package, "package", "messages", "`NAME` of the Go package"),
			env.Bool(&d.opts.Only, "only", false, "leave out what the classes refer to, apart from superclasses and enums"),
			env.Bool(&d.opts.Nulls, "nulls", false, "pointers also for strings and for elements of lists and maps"),
			env.Func("text", "types for StringCodec, with json tags: the `LIBRARY` that makes the text is jackson, fastjson or fastjson2", d.setText),
			env.String(&d.codec, "codec", "", "with -check: codec `NAME` that the types are for"),
			env.Bool(&d.check, "check", false, "compare Go types with the classes instead"),
		},
		Run: func(_ context.Context, args []string) error { return d.run(e, args) },
	})
}

// describer is one run of the javadesc command.
type describer struct {
	classes env.Paths
	opts    javadesc.Options
	check   bool
	codec   string
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
	if d.codec == "" {
		return javadesc.JSONAsWritten, nil
	}
	c, err := catalog.Find(d.codec)
	if err != nil {
		return 0, env.Usagef("-codec: %v", err)
	}
	if inner, _ := codecs.TextIn(c); strings.Contains(inner.Name(), "jackson") {
		return javadesc.JSONUsed, nil
	}
	return javadesc.JSONUnused, nil
}

func (d *describer) run(e *env.Env, args []string) (err error) {
	if len(d.classes) == 0 {
		return env.Usagef("-classes is missing: a jar or a directory of classes")
	}
	if len(args) == 0 && d.check {
		return env.Usagef("name the Go packages or files to check, for example ./...")
	}
	source, err := classfile.Open(d.classes...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if d.check {
		return d.compare(e, source, args)
	}
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

func (d *describer) compare(e *env.Env, source *classfile.Source, args []string) error {
	packages, err := gosource.Load(args...)
	if err != nil {
		return err
	}
	json, err := d.json()
	if err != nil {
		return err
	}
	report := javadesc.Check(source, packages, json)
	if report.Checked == 0 {
		return javadesc.ErrNothing
	}
	if e.JSON {
		if err := e.Line(report); err != nil {
			return err
		}
	} else {
		for _, difference := range report.Differences {
			fmt.Fprintln(e.Stdout, difference)
		}
		fmt.Fprintf(e.Stdout, "%s checked, %s", screen.Count(report.Checked, "type"), screen.Count(report.Failures(), "difference"))
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
