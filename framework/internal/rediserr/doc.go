// Package rediserr gives the errors of Redis a type: what it answered, what it refused, and
// what may go away by itself. Go-redis knows them as texts, which differ between servers and
// between a command and a script.
package rediserr

import "github.com/redis/go-redis/v9"

// Answer is the text of an error that Redis answered, where it came inside a reply.
type Answer string

// Error returns the text.
func (a Answer) Error() string { return string(a) }

// RedisError marks it as an answer of the server.
func (Answer) RedisError() {}

var _ redis.Error = Answer("")
