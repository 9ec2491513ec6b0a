// Package rollout takes a Spring Boot service with Redisson's delayed queues through the steps of
// framework/ROLLOUT.md, from Java alone to Go alone and back, under load, and accounts for every
// message. Folder java has the service, testdata the Go service that joins it.
package rollout
