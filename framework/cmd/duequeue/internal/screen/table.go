package screen

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Table shows rows under a header. Cells of others must be clean. At a terminal the last
// column is cut where the line ends.
type Table struct {
	Indent int
	Width  int // of a line; 0 is that of the terminal that is written to
	rows   [][]string
}

// Header sets the names of the columns.
func (t *Table) Header(names ...string) {
	row := make([]string, len(names))
	for i, name := range names {
		row[i] = Bold.On(name)
	}
	t.rows = append([][]string{row}, t.rows...)
}

// Row adds one.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Write shows the table.
func (t *Table) Write(w io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], visible(cell))
		}
	}
	var b strings.Builder
	room := t.Width
	if room == 0 {
		room = Width(w)
	}
	for _, row := range t.rows {
		left := room - t.Indent
		b.WriteString(strings.Repeat(" ", t.Indent))
		for i, cell := range row {
			if i == len(row)-1 {
				if room > 0 {
					cell = Cut(cell, max(left, 12))
				}
				b.WriteString(cell)
				break
			}
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", widths[i]-visible(cell)+2))
			left -= widths[i] + 2
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, trimLines(b.String()))
	return err
}

// trimLines takes blanks off the ends of lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// visible returns how many characters of a cell are seen.
func visible(cell string) int {
	n := utf8.RuneCountInString(cell)
	for _, r := range cell {
		if isMark(r) {
			n--
		}
	}
	return n
}

// Cut shortens a cell to so many characters.
func Cut(cell string, most int) string {
	if visible(cell) <= most {
		return cell
	}
	var b strings.Builder
	n, marked := 0, false
	for _, r := range cell {
		if isMark(r) {
			marked = true
			b.WriteRune(r)
			continue
		}
		if n++; n == most {
			break
		}
		b.WriteRune(r)
	}
	b.WriteRune('…')
	if marked {
		b.WriteRune(rune(plain))
	}
	return b.String()
}
