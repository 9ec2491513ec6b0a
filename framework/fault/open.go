package fault

import "fmt"

// UnreachableError is the error of framework.Open when no Redis server answers.
type UnreachableError struct {
	Addr  string // host:port, several separated by commas
	Tries int    // how often it was tried
	Ended string // which time was over, where it was tried for some
	Err   error  // the last failure
}

// Error says what was tried and what to do.
func (e *UnreachableError) Error() string {
	tries := ""
	if e.Tries > 1 {
		tries = fmt.Sprintf(" after %d tries", e.Tries)
	}
	wait := "or let it wait for a server that starts later (start_retry_for: 30s; with fx, fx.StartTimeout must be longer)"
	if e.Ended != "" {
		wait = "what ended the waiting is " + e.Ended
	}
	return fmt.Sprintf("no Redis answers on %s%s: %v; check the address (redis.url, redis.addrs), the network and TLS, %s",
		e.Addr, tries, e.Err, wait)
}

// Unwrap returns the last failure.
func (e *UnreachableError) Unwrap() error { return e.Err }

// RefusedError is the error of framework.Open when the server answers, but does not let us in
// or is of another kind than configured.
type RefusedError struct {
	Addr string // host:port
	Hint string // what to do
	Err  error  // the server's answer, may be nil
}

// Error says what the server answered and what to do.
func (e *RefusedError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("Redis on %s cannot be used: %s", e.Addr, e.Hint)
	}
	return fmt.Sprintf("Redis on %s refuses: %v: %s", e.Addr, e.Err, e.Hint)
}

// Unwrap returns the server's answer.
func (e *RefusedError) Unwrap() error { return e.Err }

// MinRedisVersion is the oldest Redis that can serve: LMOVE, BLMOVE and LPOP with a
// count came with it. Valkey of any version will do.
const MinRedisVersion = "6.2"

// VersionError is the error of framework.Open when the server is older than [MinRedisVersion].
type VersionError struct {
	Addr    string
	Version string // as the server reports it; empty if it does not tell
	Err     error  // how it was found out
}

// Error names both versions.
func (e *VersionError) Error() string {
	version := e.Version
	if version == "" {
		version = "unknown, but too old"
	}
	return fmt.Sprintf("Redis on %s is version %s: %s or newer (or Valkey) is needed, for LMOVE, BLMOVE and LPOP with a count",
		e.Addr, version, MinRedisVersion)
}

// Unwrap returns how it was found out.
func (e *VersionError) Unwrap() error { return e.Err }
