// Package lab starts what the tests of this project need: Redis servers ([StartRedis],
// [StartCluster], [StartSentinel]), proxies ([StartProxy]) and other processes
// ([StartProcess]), on free ports of the loopback. Each server has a temporary directory of
// its own, and lab stops what it started by its process ID.
//
//	func TestOffer(t *testing.T) {
//		srv := lab.StartRedis(t)
//		rdb := srv.Client()
//		…
//	}
//
// A test waits by [Wait], which ends by progress. The tests of a package may share one server:
// see [Main].
//
// Redis is the binary that the environment variable [EnvBinary] names, otherwise redis-server
// from PATH. A missing binary fails the test and says what to install; no test is skipped.
// Valkey's valkey-server works as well.
package lab
