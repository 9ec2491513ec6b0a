// Package probe asks a server at the start whether it can serve: is it new enough, and may
// the configured user do what the scripts need.
package probe
