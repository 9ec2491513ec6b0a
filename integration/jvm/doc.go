// Package jvm runs a Java program on released Redisson jars and tells it what to
// do: one process per release serves all tests of that release. The program is in
// ../java; its script build.sh resolves the jars and compiles, once per release.
//
//	j := jvm.Start(t, "3.52.0")
//	q := j.Open(t, srv.URL()).Queue(t, "default", "ORDER_PAYMENT_TIMEOUT")
//	q.Offer(t, jvm.Sample("order"), time.Second)
//
// A missing JDK or Maven fails the test and says what to install.
package jvm
