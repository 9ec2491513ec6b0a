// Package screen shows things to people who sit at a terminal: text that cannot command it,
// tables, colours, times, questions and progress.
package screen
