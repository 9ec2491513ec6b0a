// Package tracking tells queues that rest when their ready lists have messages, without a
// connection for each: one connection per node asks for the lengths of the lists, and Redis
// tells it of the next change of each (CLIENT TRACKING by key, RESP3).
//
//	tracker.go    the lists and the nodes that they are on; what runners call
//	node.go       the owner of one connection: registers, hears, connects anew
//	poll.go       where Redis refuses to tell
//	conn.go       connecting, HELLO, CLIENT TRACKING, sending
//	frame.go      reading RESP3
//
// go-redis reads a push only together with a reply or a subscription, so a connection of
// its own cannot wait for one: hence the few lines of RESP3 here. What go-redis is
// configured with (address, TLS, login, Sentinel, Cluster) is used.
package tracking
