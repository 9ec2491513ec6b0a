// Package embedded is a Redis inside the process, for demos and unit tests: nothing to
// install, nothing kept. It is miniredis, not Redis: in-memory, without persistence,
// replication, memory limit, or fairness among blocked consumers, and unable to run
// Redisson's own scripts. Use it for demos, never to keep messages.
//
// It must be chosen twice, in the configuration and in the program:
//
//	redis:
//	  url: embedded
//
//	fx.New(framework.Module, embedded.Module, …)
//
// One without the other is an error at start that names the other.
//
// This is the only package of a user's program that links miniredis.
package embedded
