// Package manual writes the help of commands, and all of it as one page, from what the
// commands say of themselves.
package manual

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

// Print writes the help of a command, of the program the list of commands.
func Print(w io.Writer, c *cli.Command) error {
	var b bytes.Buffer
	if c.Root() == c {
		list(&b, c)
	} else {
		help(&b, c)
	}
	_, err := w.Write(b.Bytes())
	return err
}

const exitCodes = "Exit codes: 0 all is well, 1 something failed, 2 the command line is wrong."

func list(b *bytes.Buffer, root *cli.Command) {
	fmt.Fprintf(b, "duequeue %s.\n\nUsage: duequeue COMMAND [flags] [arguments]\n", root.Usage)
	for _, group := range env.Groups() {
		fmt.Fprintf(b, "\n%s:\n", group)
		for _, c := range in(root, group) {
			fmt.Fprintf(b, "  %-11s %s\n", c.Name, c.Usage)
		}
	}
	b.WriteString("\nFlags of every command:\n")
	flags(b, root.Flags)
	b.WriteString("\nFlags may stand anywhere, and begin with - or --. \"duequeue help COMMAND\" tells more,\n\"duequeue help manual\" all.\n\n" + exitCodes + "\n")
}

// in returns the commands of a group.
func in(root *cli.Command, group string) (found []*cli.Command) {
	for _, c := range root.Commands {
		if c.Category == group {
			found = append(found, c)
		}
	}
	return found
}

func help(b *bytes.Buffer, c *cli.Command) {
	spec := env.SpecOf(c)
	fmt.Fprintf(b, "Usage: %s\n\n%s.\n", usage(c), sentence(c.Usage))
	if text := strings.TrimSpace(spec.Long); text != "" {
		b.WriteString("\n" + text + "\n")
	}
	if verbs := below(c); len(verbs) > 0 {
		b.WriteString("\nVerbs:\n")
		for _, v := range verbs {
			fmt.Fprintf(b, "  %-11s %s\n", v.Name, v.Usage)
		}
		fmt.Fprintf(b, "\"duequeue help %s VERB\" tells more.\n", env.Path(c))
	}
	if len(spec.Examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, example := range spec.Examples {
			b.WriteString("  " + example + "\n")
		}
	}
	if len(c.Flags) > 0 {
		b.WriteString("\nFlags:\n")
		flags(b, c.Flags)
	}
	b.WriteString("\nFlags of every command: \"duequeue help\".\n")
}

// below returns the commands below one that say what they are.
func below(c *cli.Command) (found []*cli.Command) {
	for _, v := range c.Commands {
		if env.SpecOf(v).Name != "" {
			found = append(found, v)
		}
	}
	return found
}

func usage(c *cli.Command) string {
	text := "duequeue " + env.Path(c)
	if len(below(c)) > 0 {
		text += " VERB"
	}
	return strings.TrimSpace(text + " [flags] " + c.ArgsUsage)
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// flags lists flags, the name on a line and what it is below.
func flags(b *bytes.Buffer, all []cli.Flag) {
	for _, f := range all {
		head, text := describe(f)
		fmt.Fprintf(b, "  %s\n        %s\n", head, text)
	}
}

// documented is what flags of the library say of themselves.
type documented interface {
	cli.DocGenerationFlag
	cli.Flag
}

// describe returns a flag with the name of its value, and what it is.
func describe(f cli.Flag) (head, text string) {
	d, ok := f.(documented)
	if !ok {
		return "-" + f.Names()[0], ""
	}
	text = d.GetUsage()
	value := ""
	if before, rest, quoted := strings.Cut(text, "`"); quoted {
		name, after, _ := strings.Cut(rest, "`")
		value, text = name, before+name+after
	} else if d.TakesValue() {
		value = d.TypeName()
	}
	var names []string
	for _, name := range f.Names() {
		names = append(names, "-"+name)
	}
	head = strings.TrimSpace(strings.Join(names, ", ") + " " + value)
	if shown := d.GetValue(); d.TakesValue() && !slices.Contains([]string{"", "0", "0s", `""`}, shown) {
		text += " (default " + strings.Trim(shown, `"`) + ")"
	}
	return head, text
}

// Markdown writes all commands as one page.
func Markdown(w io.Writer, root *cli.Command) error {
	var b bytes.Buffer
	b.WriteString(`# duequeue, the command line

This page is the output of ` + "`duequeue help manual`" + `.

` + "`duequeue COMMAND [flags] [arguments]`" + ` ` + root.Usage + `. Flags may stand anywhere, and begin with - or --. Put arguments that begin with - but are not flags after --. ` + exitCodes + `

## Flags of every command

`)
	flagList(&b, root.Flags)
	b.WriteString(`
## JSON

With -json each command prints objects of JSON, one on a line. Fields are added, never renamed or taken away; those that are empty may be left out. Times are RFC 3339 in UTC, lengths of time are seconds, payloads are base64 unless the field is said to be hex. What is for people (progress, warnings, "did you mean") stands on stderr.
`)
	for _, group := range env.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", group)
		for _, c := range in(root, group) {
			section(&b, c, "###")
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func section(b *bytes.Buffer, c *cli.Command, level string) {
	spec := env.SpecOf(c)
	fmt.Fprintf(b, "\n%s duequeue %s\n\n%s.\n\n    %s\n", level, env.Path(c), sentence(c.Usage), usage(c))
	if text := strings.Trim(spec.Long, "\n"); text != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", text)
	}
	if len(spec.Examples) > 0 {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.Join(spec.Examples, "\n"))
	}
	if len(c.Flags) > 0 {
		b.WriteString("\n")
		flagList(b, c.Flags)
	}
	if fields := Fields(spec.JSON); len(fields) > 0 {
		fmt.Fprintf(b, "\n-json: %s\n", strings.Join(fields, ", "))
	}
	for _, v := range below(c) {
		section(b, v, level+"#")
	}
}

func flagList(b *bytes.Buffer, all []cli.Flag) {
	for _, f := range all {
		head, text := describe(f)
		fmt.Fprintf(b, "- `%s` %s\n", head, text)
	}
}

// Fields lists the fields of a line of JSON with their types, as programs see them.
func Fields(line any) []string {
	if line == nil {
		return nil
	}
	return fieldsOf(reflect.TypeOf(line))
}

func fieldsOf(t reflect.Type) (fields []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			fields = append(fields, fieldsOf(inner)...)
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			fields = append(fields, "`"+name+"` "+typeName(f.Type))
		}
	}
	return fields
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			if t.Name() == "RawMessage" {
				return "value"
			}
			return "base64"
		}
		return "list of " + typeName(t.Elem())
	case reflect.Struct:
		if t.PkgPath() == "time" {
			return "time"
		}
		return "{" + strings.Join(fieldsOf(t), ", ") + "}"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	}
	return "number"
}
