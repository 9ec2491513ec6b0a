package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// show prints a report.
func show(e *env.Env, r report) error {
	if e.JSON {
		return e.Line(r)
	}
	var t screen.Table
	t.Indent = 2
	t.Row("messages", fmt.Sprintf("%d ready, %d pending (%d overdue), %d dead", r.Ready, r.Delayed, r.Overdue, r.Dead))
	if r.Partitions > 1 {
		t.Row("partitions", strconv.Itoa(r.Partitions))
	}
	t.Row("written by", r.Layouts.writers()+r.Layouts.detail())
	for _, v := range r.Codecs {
		t.Row("codec", v.text())
		for _, c := range v.Classes {
			t.Row("", fmt.Sprintf("%d of %s", c.Messages, screen.Clean(c.Class)))
		}
	}
	for _, c := range r.Configured {
		t.Row("in classes", screen.Clean(c.text()))
		for _, line := range c.Unread {
			t.Row("", screen.Clean(line))
		}
		if c.Declare != "" {
			t.Row("", c.Declare) // whose texts are quoted
		}
	}
	t.Row("served by", r.servers())
	for _, note := range r.Notes {
		t.Row("note", screen.Yellow.On(screen.Clean(note)))
	}
	if _, err := fmt.Fprintln(e.Stdout, screen.Bold.On(screen.Name(r.Queue))); err != nil {
		return err
	}
	if err := t.Write(e.Stdout); err != nil {
		return err
	}
	_, err := fmt.Fprintln(e.Stdout)
	return err
}

// detail counts what a sample holds, where it says more than its writers.
func (l layouts) detail() string {
	if l.Of == 0 {
		return ""
	}
	var parts []string
	for _, of := range []struct {
		n    int
		what string
	}{
		{l.Old, "elements up to 3.21.0"},
		{l.New, "since 3.21.1"},
		{l.Other, "since 3.21.1 with an id of another length"},
		{l.Universal, "of Go, which all read"},
		{l.Malformed, "that none reads"},
	} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	return fmt.Sprintf(" (of %d: %s)", l.Of, strings.Join(parts, ", "))
}

func (v verdict) text() string {
	if v.Codec == "" {
		return fmt.Sprintf("unknown for %d: %s", v.Of, screen.Clean(v.Failed))
	}
	text := fmt.Sprintf("%s reads %d of %d", v.Codec, v.Read, v.Of)
	if v.Confidence != "" {
		text += fmt.Sprintf(" (%s: %s)", v.Confidence, screen.Clean(v.Why))
	}
	if len(v.Others) > 0 {
		text += "; it may also be " + strings.Join(v.Others, ", ")
	}
	if len(v.Missing) > 0 {
		text += "; -classes FILE.jar shows what is in " + screen.Clean(strings.Join(v.Missing, ", "))
	}
	return text
}

// servers says who serves the queue.
func (r report) servers() string {
	text := screen.Count(r.Listeners, "program") + screen.Verb(r.Listeners, " transfers it; ", " transfer it; ")
	if len(r.Processes) == 0 {
		return text + "no Go process"
	}
	var all []string
	for _, p := range r.Processes {
		all = append(all, fmt.Sprintf("%s on %s", screen.Clean(p.Program), screen.Clean(p.Host)))
	}
	return text + screen.Count(len(all), "Go process") + ": " + strings.Join(all, ", ")
}

// printSource prints the Go source of all declarations, and the command that makes their types.
func (i *inspector) printSource(e *env.Env, all []*report) error {
	imports, classes := map[string]bool{}, map[string]bool{}
	var declared []string
	for _, r := range all {
		if r.Declare == "" {
			continue
		}
		declared = append(declared, r.Declare)
		for _, name := range r.Imports {
			imports[name] = true
		}
		for _, class := range r.Javadesc {
			classes[class] = true
		}
	}
	if len(declared) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("package orders\n\nimport (\n")
	if imports["time"] {
		b.WriteString("\t\"time\"\n\n")
		delete(imports, "time")
	}
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&b, "\t%q\n", name)
	}
	fmt.Fprintf(&b, ")\n\n%s\n", strings.Join(declared, "\n"))
	if len(classes) > 0 {
		args := []string{"duequeue", "javadesc"}
		for _, jar := range i.paths {
			args = append(args, "-classes", words.Quote(jar))
		}
		if len(i.paths) == 0 {
			args = append(args, "-classes", "FILE.jar")
		}
		args = append(args, "-package", "orders")
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			args = append(args, words.Quote(class))
		}
		fmt.Fprintf(&b, "\n// %s > orders.go\n", strings.Join(args, " "))
	}
	_, err := fmt.Fprint(e.Stdout, b.String())
	return err
}
