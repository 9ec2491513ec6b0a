package config

import (
	"fmt"
	"slices"
	"strings"
)

// didYouMean asks for the known word nearest to a misspelt one, or returns "".
func didYouMean(word string, known []string) string {
	if best := Nearest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return ""
}

// Nearest returns the known word of which another is likely a misspelling, or "".
func Nearest(word string, known []string) string {
	best, distance := "", 1+max(2, len(word)/4) // two: a swap of letters
	for _, k := range known {
		if d := Distance(strings.ToLower(word), strings.ToLower(k)); d < distance && 2*d < len(word) {
			best, distance = k, d
		}
	}
	return best
}

// Distance counts the letters to change, add or drop to make one word of another.
func Distance(first, second string) int {
	a, b := []rune(first), []rune(second)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{change, row[j] + 1, row[j+1] + 1})
		}
	}
	return row[len(b)]
}
