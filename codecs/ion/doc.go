// Package ion reads and writes Ion text.
package ion
