package main

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

// TestPrintShared: what stands in several places is shown once, so that thirty
// lists, each of which holds the next one twice, are thirty lines and not 2^30.
func TestPrintShared(t *testing.T) {
	t.Parallel()
	list := &java.List{Class: java.ClassArrayList}
	for range 30 {
		list = &java.List{Class: java.ClassArrayList, Elements: []any{list, list}}
	}
	p := newPrinter(list)
	p.value(list, 0)
	if lines := strings.Count(p.out.String(), "\n"); lines != 60 || !strings.Contains(p.out.String(), "- see #30") {
		t.Errorf("%d lines\n%s", lines, p.out.String())
	}
}

func TestPrintCycle(t *testing.T) {
	t.Parallel()
	o := &java.Object{Class: "demo.Node"}
	m := &java.Map{Class: java.ClassHashMap, Entries: []java.Entry{{Key: "up", Value: o}}}
	o.Fields = []java.Field{{Name: "kids", Value: m}, {Name: "self", Value: o}}
	p := newPrinter(o)
	p.value(o, 0)
	const want = "#1 demo.Node, 2 fields\n  kids: java.util.HashMap, 1 entry\n    \"up\": see #1\n  self: see #1"
	if p.out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", p.out.String(), want)
	}
}

// TestPrintDepth ends far below what would fill a terminal or a stack.
func TestPrintDepth(t *testing.T) {
	t.Parallel()
	var v any = "deep"
	for range 100_000 {
		v = &java.List{Elements: []any{v}}
	}
	p := newPrinter(v)
	p.value(v, 0)
	if !strings.HasSuffix(p.out.String(), "…") || p.lines > 2*maxPrintDepth {
		t.Errorf("%d lines", p.lines)
	}
}
