package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/integration/bench/plot"
	"github.com/duequeue/duequeue/framework/integration/bench/rounds"
)

// chapter is one section of a file of results: what one part tells, or several together. Parts
// run by themselves, each for some minutes: a run replaces its own chapters and leaves the others.
type chapter struct {
	heading string
	parts   []string // that it needs
	write   func(w *strings.Builder, p plan)
	goals   func() []goal                // nil for none
	charts  func() map[string]plot.Chart // nil for none
}

// resultFile is a file of results.
type resultFile struct {
	name, title, intro string
	chapters           []chapter // in their order; those whose parts did not run write nothing
}

// markdown is the whole file. Chapters that were not measured are those of old, which is the file
// as it is, or "".
func (f *resultFile) markdown(h head, ran []string, old string) string {
	before := chaptersOf(old)
	var body strings.Builder
	for _, c := range f.chapters {
		if c.ranIn(ran) {
			c.render(&body, h)
		} else {
			body.WriteString(before[c.heading])
		}
	}
	return fmt.Sprintf("# %s\n\nWritten by `make bench`, part by part; do not edit: run it again. Goals met: %d, missed: %d.\n\n%s\n",
		f.title, strings.Count(body.String(), " | "+metMark+" |\n"), strings.Count(body.String(), " | "+missedMark+" |\n"), f.intro) + body.String()
}

func (c *chapter) ranIn(parts []string) bool {
	return !slices.ContainsFunc(c.parts, func(p string) bool { return !slices.Contains(parts, p) })
}

// render writes when and where the chapter was measured and its goals behind its heading.
func (c *chapter) render(w *strings.Builder, h head) {
	fmt.Fprintf(w, "## %s\n\n%s\n\n", c.heading, h.measured(c.parts))
	if c.goals != nil {
		all := c.goals()
		for i, g := range all {
			if g.script {
				all[i] = g.because("by the clock, which runs on while the machine stands still: up to %s ms with nothing to do", figure(milliseconds(h.machine.stall)))
			}
		}
		writeGoals(w, all)
	}
	c.write(w, h.plan)
}

// chaptersOf cuts a file of results, by heading.
func chaptersOf(text string) map[string]string {
	all := map[string]string{}
	for i, part := range strings.Split("\n"+text, "\n## ") {
		if heading, _, ok := strings.Cut(part, "\n"); ok && i > 0 {
			all[heading] = "## " + strings.TrimRight(part, "\n") + "\n\n"
		}
	}
	return all
}

// measured says when, by what and on which machine.
func (h head) measured(parts []string) string {
	took := 0.0
	for _, p := range parts {
		took += h.took[p].Seconds()
	}
	return fmt.Sprintf("Measured by `make bench PARTS=%s` on %s in %.0f s: %s; Redis %s on the same machine; %s. "+
		"Other work, seen in %d looks: median %.0f %%, at most %.0f %% of all cores. A loop that does nothing but read the clock stood still for up to %s ms: no time below is more exact.",
		strings.Join(parts, ","), h.started.UTC().Format("2006-01-02 15:04 MST"), took,
		h.machine.host, h.machine.redis, h.machine.java,
		len(h.others), 100*rounds.Median(h.others), 100*slices.Max(append(h.others, 0)), figure(milliseconds(h.machine.stall)))
}

// introduction begins all files.
var introduction = fmt.Sprintf("Go programs, ours and peers alike, run with GOGC=%d: the heap of a benchmark is so small that the default would collect it a hundred times a second. "+
	"What carries over from one machine to another are the ratios. A ratio is the median of those taken inside each round.\n", gcPercent)

// publish brings what was measured into the files; a quick run, and one that is to go elsewhere,
// has nothing of before beside it.
func (b *bench) publish(ran []string, h head, out string, files []resultFile) error {
	if b.check {
		return checkRatios(files[0].markdown(h, ran, ""))
	}
	var aside strings.Builder
	for _, f := range files {
		changed := slices.IndexFunc(f.chapters, func(c chapter) bool { return c.ranIn(ran) }) >= 0
		if !changed {
			continue
		}
		if out != "" || b.plan.name == quickPlan.name {
			aside.WriteString(f.markdown(h, ran, ""))
			continue
		}
		old, err := os.ReadFile(filepath.Join(here(), f.name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		written := map[string][]byte{f.name: []byte(f.markdown(h, ran, string(old)))}
		for _, c := range f.chapters {
			if !c.ranIn(ran) || c.charts == nil {
				continue
			}
			plots, err := drawn(c.charts())
			if err != nil {
				return err
			}
			for name, data := range plots {
				written[name] = data
			}
		}
		if err := b.writeAll(here(), written); err != nil {
			return err
		}
	}
	if out != "" {
		return b.writeAll(filepath.Dir(out), map[string][]byte{filepath.Base(out): []byte(aside.String())})
	}
	fmt.Print(aside.String())
	return nil
}
