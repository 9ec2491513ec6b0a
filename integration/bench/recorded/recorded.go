// Package recorded compares what was just measured with a file of results. Figures of two
// machines differ, and those of a short run are rough: the margin is wide, and finds what has
// become several times slower.
package recorded

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Figures returns those of results in Markdown, by what the lines of tables begin with: of the
// section with this heading, in a column from 1 on. Cells without a number are left out. It is
// an error when there is none.
func Figures(results, heading string, column int) (map[string]float64, error) {
	_, section, found := strings.Cut(results, "\n## "+heading+"\n")
	if !found {
		return nil, fmt.Errorf("the results have no section %q", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	figures := map[string]float64{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) <= column {
			continue
		}
		number := strings.TrimSuffix(strings.TrimSpace(cells[column]), " ×")
		if v, err := strconv.ParseFloat(number, 64); err == nil {
			figures[strings.TrimSpace(cells[0])] = v
		}
	}
	if len(figures) == 0 {
		return nil, fmt.Errorf("no figures in column %d of %q", column, heading)
	}
	return figures, nil
}

// Check is [Compare] of one table in both texts: that of a file of results, and what was just
// measured. keep chooses the lines by what they begin with; nil keeps all.
func Check(w io.Writer, path, measured, heading string, column int, larger bool, keep func(what string) bool) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	was, err := Figures(string(text), heading, column)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	now, err := Figures(measured, heading, column)
	if err != nil {
		return err
	}
	if keep != nil {
		maps.DeleteFunc(now, func(what string, _ float64) bool { return !keep(what) })
	}
	return Compare(w, was, now, larger)
}

// Margin is how many times worse a figure may be than the recorded one.
const Margin = 3

// Which figures are better.
const (
	Larger  = true
	Smaller = false
)

// Compare prints both figures of whatever is in both, and returns an error that names those that
// are worse by more than [Margin]. Nothing in common is an error, too.
func Compare(w io.Writer, was, now map[string]float64, larger bool) error {
	var worse []error
	both := 0
	_, _ = fmt.Fprintf(w, "\n%-60s %10s %10s\n", "ratio", "recorded", "now")
	for _, name := range slices.Sorted(maps.Keys(now)) {
		before, known := was[name]
		if !known {
			continue
		}
		both++
		_, _ = fmt.Fprintf(w, "%-60s %10.2f %10.2f\n", name, before, now[name])
		least, most := before/Margin, before*Margin
		if larger && !(now[name] >= least) || !larger && !(now[name] <= most) { // NaN is worse
			worse = append(worse, fmt.Errorf("%s: %.2f, recorded is %.2f: more than %d times worse", name, now[name], before, Margin))
		}
	}
	if both == 0 {
		return errors.New("nothing that was measured is recorded under the same name")
	}
	return errors.Join(worse...)
}
