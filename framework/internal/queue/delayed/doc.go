// Package delayed works on delayed queues through scripts: it offers messages, transfers
// what is due, changes what is pending, and reads and mends what lies in a queue.
//
// # How a message travels
//
// An offer adds an element (id and payload) to the timeout set, scored by its
// due time in milliseconds, and to the pending list, which is only a view for
// Java's size, contains and remove. When the element became the head of the set
// its due time is published on the channel. A transfer, by any Go or Java
// process, moves what is due to the ready list as bare payloads. Package watch transfers
// in time, package lease takes what is ready.
//
// Where Java uses the clock of the client, the scripts here use the clock of Redis.
//
// # The scripts
//
// Every script lives in lua/*.lua beside its Go half; package script says how it begins and
// what goes before it. Scripts use no struct, cmsgpack or bit library, so they run on
// miniredis as well, and check the type of every key before their first write, because
// Redis never rolls a script back.
//
// # The files
//
//	offer.go, dedup.go            one offer, and one with a key
//	offerall.go, offerallturn.go  very many offers; one try of a batch of them
//	await.go                      until replicas have an offer
//	push.go                       what is ready at once
//	transfer.go, view.go          moving what is due; how Java's pending list is kept
//	cancel.go, notpending.go      cancelling and rescheduling
//	get.go, pending.go,
//	pendingwalk.go, ready.go      the views: one message, pages and walks, poll, clear
//	counts.go, sample.go          how many are where; some payloads
//	redrive.go, trimdead.go       dead letters put back, and deleted
//	ghosts.go                     entries of the pending list without a message
//	resend.go, direct.go          how often a call is sent, and to whom
//	library.go, scripts.go        the scripts, and which role runs them
package delayed
