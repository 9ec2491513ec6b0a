package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// report is everything that RESULTS.md says.
type report struct {
	plan                  plan
	started               time.Time
	took                  time.Duration
	machine               string
	loadBefore, loadAfter string
	results               *results
}

// goal is a bound on a ratio of two medians, or on the allocations of a row.
type goal struct {
	text       string
	what, peer string  // peer empty: a goal on allocations
	most       float64 // largest ratio that meets it
}

// goals are those that were set for the codecs.
func goals() []goal {
	out := []goal{
		{"Kryo 5 bean: decode into a struct ≤ 0.6 × Kryo on the JVM", "go kryo5 order decode", "jvm kryo5 order decode", 0.6},
		{"Kryo 5 bean: decode ≥ 4 × faster than encoding/json", "go kryo5 order decode", "go json order decode", 1.0 / 4},
		{"Kryo 5 bean: encode ≤ 0.5 × Kryo on the JVM", "go kryo5 order encode", "jvm kryo5 order encode", 0.5},
		{"Kryo 5 map: decode ≤ 1.0 × Kryo on the JVM", "go kryo5 map decode", "jvm kryo5 map decode", 1},
		{"Kryo 5 map: encode ≤ 0.9 × Kryo on the JVM", "go kryo5 map encode", "jvm kryo5 map encode", 0.9},
		{"Kryo 5 nested map: decode ≤ 1.2 × Kryo on the JVM", "go kryo5 nested5 decode", "jvm kryo5 nested5 decode", 1.2},
		{"Kryo 5 nested map: encode ≤ 0.9 × Kryo on the JVM", "go kryo5 nested5 encode", "jvm kryo5 nested5 encode", 0.9},
		{"java.io bean: decode ≤ 0.25 × ObjectInputStream", "go serialization order decode", "jvm serialization order decode", 0.25},
		{"java.io bean: encode ≤ 0.5 × ObjectOutputStream", "go serialization order encode", "jvm serialization order encode", 0.5},
		{"River bean: decode ≤ 0.5 × JBoss Marshalling", "go marshalling order decode", "jvm marshalling order decode", 0.5},
		{"River bean: encode ≤ 0.5 × JBoss Marshalling", "go marshalling order encode", "jvm marshalling order encode", 0.5},
	}
	for _, payload := range []string{"order", "map", "strings100", "nested5"} {
		out = append(out, goal{text: "Kryo 5 " + payload + ": decode in one allocation per string, slice, map or pointer", what: "go kryo5 " + payload + " decode"})
	}
	for _, t := range twins() {
		out = append(out, t.goal())
	}
	return append(out, familyGoals()...)
}

func (r *report) markdown() string {
	var w strings.Builder
	command := "make codecbench"
	if r.plan.payload != "" {
		command = "go run ./codecbench -payload " + r.plan.payload
	}
	fmt.Fprintf(&w, "# Codecs: Go beside the JVM\n\nWritten by `%s` on %s in %s; not edited by hand.\n\n",
		command, r.started.UTC().Format(time.DateOnly), r.took.Round(time.Second))
	if r.plan.quick {
		w.WriteString("**A quick run: too few samples to judge by.**\n\n")
	}
	fmt.Fprintf(&w, "%s. Load of the last minute %s before and %s after.\nJVM: %s with -Xmx512m, JMH %s. Go with GOGC=%d.\n\n",
		r.machine, r.loadBefore, r.loadAfter, r.results.java, strings.Join(r.plan.jmh, " "), gcPercent)
	w.WriteString(`The payloads are those of the jars (codecs/*/testdata/bench): the order bean of ten mixed fields, the map
{orderId, remark}, a list of 100 strings, a HashMap of five levels. Both sides read and write the very same bytes,
which is checked before measuring. Go goes through codecs.For, maps into map[string]any; the JVM uses the
libraries in Redisson's configuration with warm instances, without its buffers and pools. encoding/json carries
the same values as JSON without Java's classes. A bare library (encoding/json for jsonjackson, msgpack/v5, fxamacker/cbor)
reads the very document of the codec, class names and wrappers included, into a struct that leaves wrappers as []any. Times are medians of all samples; the spread is the middle half of the samples against the median.

`)
	r.writeGoals(&w)
	r.writeTimes(&w)
	r.writeFamily(&w)
	r.writeTwins(&w)
	return w.String()
}

func (r *report) writeGoals(w *strings.Builder) {
	w.WriteString("## Goals\n\n| goal | measured | |\n|---|---|---|\n")
	for _, g := range goals() {
		measured, met, known := r.judge(g)
		if !known && r.plan.payload != "" {
			continue
		}
		verdict := "**missed**"
		switch {
		case !known:
			verdict = "not measured"
		case met:
			verdict = "met"
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", g.text, measured, verdict)
	}
	w.WriteString("\n")
}

func (r *report) judge(g goal) (measured string, met, known bool) {
	if g.peer == "" {
		allocs, counted := r.results.allocs[g.what]
		limit := r.results.limits[g.what]
		return fmt.Sprintf("%.1f of %d", allocs, limit), allocs < float64(limit)+0.5, counted
	}
	ratio, known := r.results.ratio(g.what, g.peer)
	if !known {
		return "", false, false
	}
	return fmt.Sprintf("%.2f ×", ratio), ratio <= g.most, true
}

// Where Go ÷ JVM stands, see [checkRatios].
const (
	timesHeading = "Times"
	ratioColumn  = 4
)

func (r *report) writeTimes(w *strings.Builder) {
	w.WriteString("## " + timesHeading + "\n\n| codec, payload | bytes | Go | JVM | Go / JVM | encoding/json | Go / json | allocations in Go |\n|---|---|---|---|---|---|---|---|\n")
	for _, codec := range []string{"kryo5", "marshalling", "serialization", "fst"} {
		for _, payload := range []string{"order", "map", "strings100", "nested5"} {
			for _, op := range []string{"decode", "encode"} {
				r.writeTime(w, codec, payload, op)
			}
		}
	}
}

// writeFamily is the table of Jackson's family, beside the libraries that know
// nothing of Java's classes.
func (r *report) writeFamily(w *strings.Builder) {
	w.WriteString("\n## Jackson's family\n\n| codec, payload | bytes | Go | JVM | Go / JVM | bare library | Go / bare | encoding/json | Go / json | allocations in Go |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, m := range family() {
		for _, payload := range []string{"order", "map", "strings100", "nested5"} {
			for _, op := range []string{"decode", "encode"} {
				what := m.name + " " + payload + " " + op
				if _, here := r.results.median("go " + what); !here {
					continue
				}
				key, jvm, bare, peer := "go "+what, "jvm "+what, "go bare "+what, "go json "+payload+" "+op
				fmt.Fprintf(w, "| %s, %s %s | %s | %s | %s | %s | %s | %s | %s | %s | %.1f |\n", m.name, payload, op, r.size(key),
					r.time(key), r.time(jvm), r.times(key, jvm), r.time(bare), r.times(key, bare), r.time(peer), r.times(key, peer), r.results.allocs[key])
			}
		}
	}
}

func (r *report) writeTime(w *strings.Builder, codec, payload, op string) {
	key := "go " + codec + " " + payload + " " + op
	jvm := "jvm " + codec + " " + payload + " " + op
	peer := "go json " + payload + " " + op
	_, here := r.results.median(key)
	_, there := r.results.median(jvm)
	if !here && !there {
		return
	}
	allocs := "—"
	if here {
		allocs = fmt.Sprintf("%.1f", r.results.allocs[key])
	}
	fmt.Fprintf(w, "| %s, %s %s | %s | %s | %s | %s | %s | %s | %s |\n", codec, payload, op, r.size(key),
		r.time(key), r.time(jvm), r.times(key, jvm), r.time(peer), r.times(key, peer), allocs)
}

func (r *report) size(what string) string {
	if n := r.results.sizes[what]; n > 0 {
		return strconv.Itoa(n)
	}
	return "—"
}

func (r *report) time(what string) string {
	m, ok := r.results.median(what)
	if !ok {
		return "—"
	}
	return fmt.Sprintf("%.0f ns ± %.0f %%", m, r.results.spread(what))
}

func (r *report) times(what, peer string) string {
	ratio, ok := r.results.ratio(what, peer)
	if !ok {
		return "—"
	}
	return fmt.Sprintf("%.2f", ratio)
}
