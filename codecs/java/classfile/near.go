package classfile

import (
	"cmp"
	"slices"
	"strings"
)

// Find returns the binary name of a class that people name in one of their ways:
// "demo.Order$Item", "demo/Order$Item", "demo.Order.Item", or "Order" and
// "Order.Item" where one class only is called so. The error is a [*NotFoundError].
func (s *Source) Find(name string) (string, error) {
	name = strings.ReplaceAll(strings.TrimSuffix(name, ".class"), "/", ".")
	for nested := name; ; {
		if s.Has(nested) {
			return nested, nil
		}
		at := indexDot(nested)
		if at < 0 {
			break
		}
		nested = nested[:at] + "$" + nested[at+1:]
	}
	tail := strings.ReplaceAll(name, ".", "$")
	var found []string
	for full := range s.entries {
		if rest, ok := strings.CutSuffix(full, tail); ok && (rest == "" || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "$")) {
			found = append(found, full)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		slices.Sort(found)
		return "", &NotFoundError{Class: name, Near: found[:min(len(found), maxNear)], Where: s.where}
	}
	return "", &NotFoundError{Class: name, Near: s.near(name), Where: s.where}
}

func indexDot(name string) int { return strings.LastIndexByte(name, '.') }

const maxNear = 5

// near returns the classes whose own name resembles that of the one given,
// nearest first.
func (s *Source) near(name string) []string {
	type candidate struct {
		name     string
		distance int
	}
	want := strings.ToLower(simpleName(name))
	allowed := 1 + len(want)/5
	var list []candidate
	for full := range s.entries {
		have := strings.ToLower(simpleName(full))
		if d := distance(want, have, allowed); d <= allowed {
			list = append(list, candidate{full, d})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(a.distance-b.distance, len(a.name)-len(b.name), strings.Compare(a.name, b.name))
	})
	names := make([]string, 0, maxNear)
	for _, c := range list[:min(len(list), maxNear)] {
		names = append(names, c.name)
	}
	return names
}

// simpleName is what stands behind package and enclosing classes.
func simpleName(name string) string {
	return name[strings.LastIndexAny(name, ".$")+1:]
}

// distance counts the edits between a and b, or gives more than most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			edit := diagonal
			if a[i] != b[j] {
				edit++
			}
			diagonal = row[j+1]
			row[j+1] = min(edit, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
