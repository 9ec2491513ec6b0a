// Package chaos breaks things while messages are offered and handled, and accounts for every
// message. Its tests start real Redis servers and real processes, Go's and Java's, harm them,
// and read from a ledger in a Redis of its own what came of each message: lost, early, doubled,
// back after. Each row of the table (rows_test.go) is a fault that no cheaper test shows.
//
//	go test ./chaos                       three rows, in turn by the seed
//	DUEQUEUE_TEST_LONG=1 go test ./chaos  all rows, with more faults in each
//	go test ./chaos -rows storm -seed 7   one row (or several, by comma)
//	make chaos                            all rows, other consumers under the same faults too,
//	                                      and a page of results
package chaos
