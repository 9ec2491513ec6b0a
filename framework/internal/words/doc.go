// Package words writes lengths of time and arguments of commands for people, in sentences and on
// pages.
package words
