// Package lab starts what the tests of this project need: real Redis servers (single
// ones, a cluster of three masters, a Sentinel group) on free loopback ports. Each server
// has a temporary directory of its own, and lab stops it by its process ID.
//
//	func TestOffer(t *testing.T) {
//		srv := lab.Start(t)
//		rdb := srv.Client()
//		…
//	}
//
// The binary is the one that the environment variable [EnvBinary] names, otherwise
// redis-server from PATH. A missing binary fails the test and says what to
// install; no test is skipped. Valkey's valkey-server works as well.
package lab
