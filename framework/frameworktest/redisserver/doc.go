// Package redisserver runs real Redis servers for tests: single ones, a cluster of
// three masters and a Sentinel group, on free loopback ports, each in its own
// temporary directory, each stopped by its own process id.
//
//	func TestOffer(t *testing.T) {
//		srv := redisserver.Start(t)
//		rdb := srv.Client()
//		…
//	}
//
// The binary is the one named by the environment variable [EnvBinary], otherwise
// redis-server from PATH. A missing binary fails the test and says what to install;
// nothing is ever skipped. Valkey's valkey-server works as well.
package redisserver
