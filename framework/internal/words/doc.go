// Package words writes lengths of time, times, places in lists and arguments of commands: for people,
// in sentences and on pages, and for programs.
package words
