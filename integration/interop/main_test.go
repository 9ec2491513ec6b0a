// Package interop_test proves that Go and the released Redisson jars share one
// queue. One JVM per release serves all cases of that release; the releases come
// from DUEQUEUE_TEST_INTEROP_VERSIONS (comma list, default: all).
package interop_test

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// envVersions names the releases to test.
const envVersions = "DUEQUEUE_TEST_INTEROP_VERSIONS"

// release is one Redisson release and the codec that is used with it.
type release struct {
	version string
	java    string       // codec as the Java program calls it
	name    string       // the same codec's own name
	codec   codecs.Codec // and ours
	retries int          // how often a failing case is tried again
	retried *int         // how often that happened
}

// releaseOf gives each release its default codec, and JsonJacksonCodec to those whose
// default Go does not write (FST), and to one of those that have River.
func releaseOf(version string) release {
	r := release{version: version, java: "default", name: "kryo5", codec: kryo5.New(), retried: new(int)}
	switch version {
	case "3.8.1": // the default codec of its time
		r.name, r.codec = "jsonjackson", jackson.JsonJackson()
	case "3.10.0", "3.12.5", "3.16.8":
		r.java, r.name, r.codec = "jsonjackson", "jsonjackson", jackson.JsonJackson()
	case "3.13.6", "3.18.1":
		r.name, r.codec = "marshalling", marshalling.New()
	case "3.21.0", "3.21.3":
		// Seen to leave a command unanswered on a busy machine, alone as well.
		r.retries = 2
	}
	return r
}

// bench is what a case gets: one release, one server.
type bench struct {
	release
	jvm *jvm.JVM
	srv *lab.Server
}

// testCase is one thing that a release must be able to do.
type testCase struct {
	name  string
	run   func(t testing.TB, b *bench)
	first bool // it runs before the others
}

// cases are run for each release.
var cases = []testCase{
	{name: "JavaOffersGoHandles", run: javaOffersGoHandles},
	{name: "GoOffersJavaTakes", run: goOffersJavaTakes},
	{name: "GoTransfersJavaTakes", run: goTransfersJavaTakes},
	{name: "GoOffersJavaOnlyTakes", run: goOffersJavaOnlyTakes},
	{name: "DaemonCuresStalls", run: daemonCuresStalls},
	{name: "ForeignCodecIsRefused", run: foreignCodecIsRefused},
	{name: "MapperOfItsOwnIsRefused", run: mapperOfItsOwnIsRefused},
	{name: "GuardMatrix", run: guardMatrix},
	{name: "JavaSeesPending", run: javaSeesPending},
	{name: "JavaSeesReady", run: javaSeesReady},
	{name: "JavaPolls", run: javaPolls},
	{name: "GoSeesPending", run: goSeesPending},
	{name: "BothTransferAndConsume", run: bothTransferAndConsume},
	{name: "BothLayoutsInOneQueue", run: bothLayoutsInOneQueue},
	{name: "PartitionNames", run: partitionNames},
	{name: "JavaOffersToPartitions", run: javaOffersToPartitions},
	{name: "GoOffersToPartitions", run: goOffersToPartitions},
	{name: "TraceSurvivesJavasTransfer", run: traceSurvivesJavasTransfer},
	{name: "TraceparentFromJava", run: traceparentFromJava},
	{name: "TraceparentToJava", run: traceparentToJava},
	{name: "BytesOfSamples", run: bytesOfSamples},
	{name: "BytesOfRandomMaps", run: bytesOfRandomMaps},
	{name: "GoLeaves", run: goLeaves},
	{name: "ManyQueues", run: manyQueues},
	{name: "KindsOfDestination", run: kindsOfDestination},
	{name: "OddNames", run: oddNames},
	{name: "WaysOfSharing", run: waysOfSharing},
	{name: "LocksExclude", run: locksExclude},
	{name: "GoLocksJava", run: goLocksJava},
	{name: "JavaLocksGo", run: javaLocksGo},
	{name: "LocksOfOtherKinds", run: locksOfOtherKinds},
	{name: "HandlerWaitsForJava", run: handlerWaitsForJava},
}

// readingCases are run for each release that has a codec of beans that we have, too,
// and writingCases for those whose codec we write.
var (
	readingCases = []testCase{
		// First, since what Jackson makes of a class may depend on what it saw before.
		{name: "JavaReadsBack", run: javaReadsBack, first: true},
		{name: "BytesOfBeans", run: bytesOfBeans},
		{name: "JavadescReadsAnnotations", run: javadescReadsAnnotations},
		{name: "TextsOfBeans", run: textsOfBeans},
		{name: "SingleValues", run: singleValues},
		{name: "PayloadsOfRealServices", run: payloadsOfRealServices},
		{name: "BytesOfRoots", run: bytesOfRoots},
		{name: "BytesOfRandomValues", run: bytesOfRandomValues},
		{name: "OldIonLosesDoubles", run: oldIonLosesDoubles},
		{name: "GoHandlesBeans", run: goHandlesBeans},
	}
	writingCases = []testCase{
		{name: "JavaFindsBeans", run: javaFindsBeans},
		{name: "JavaFindsBeansAmongItsOwn", run: javaFindsBeansAmongItsOwn},
		{name: "JavaTakesBeans", run: javaTakesBeans},
	}
)

// onlyBeans are the releases that are there for the bytes of their codecs: of their
// queues, a neighbour tells the same.
var onlyBeans = []string{"3.10.0", "3.13.6", "3.19.2", "3.27.2", "3.30.0", "3.35.0", "3.38.1", "3.46.0", "4.1.0"}

// kryoCases are run for the releases whose default codec is that of the examples.
var kryoCases = []testCase{
	{name: "ExampleServesJava", run: exampleServesJava},
}

// releases are those of this run.
func releases(t *testing.T) []string {
	t.Helper()
	list := os.Getenv(envVersions)
	if list == "" {
		return jvm.Versions()
	}
	versions := strings.Split(list, ",")
	for _, version := range versions {
		if !slices.Contains(jvm.Versions(), version) {
			t.Fatalf("%s names %q, which is none of %v", envVersions, version, jvm.Versions())
		}
	}
	return versions
}

// TestRedisson runs the cases of a release beside each other, since they mostly wait, and
// one release after the other, since each has a JVM.
func TestRedisson(t *testing.T) {
	t.Parallel()
	for _, version := range releases(t) {
		t.Run(version, func(t *testing.T) {
			b := &bench{release: releaseOf(version), jvm: jvm.Start(t, version), srv: lab.StartRedis(t)}
			for _, c := range casesOf(t, b.release) {
				t.Run(c.name, func(t *testing.T) {
					if !c.first && b.retries == 0 { // it does not stall beside others
						t.Parallel()
					}
					withRetries(t, b, c.run)
				})
			}
			if b.retries > 0 {
				t.Logf("report: Redisson %s: %d cases were tried again", version, *b.retried)
			}
		})
	}
}

// casesOf are the cases of one release.
func casesOf(t testing.TB, r release) []testCase {
	t.Helper()
	out := slices.Clone(configurationCases)
	if !slices.Contains(onlyBeans, r.version) {
		out = slices.Concat(out, cases, pendingCases)
		if r.name == "kryo5" {
			out = append(out, kryoCases...)
		}
	}
	formats := formatsOf(t, r.version)
	if len(formats) > 0 {
		out = append(out, readingCases...)
	}
	if len(writable(formats)) > 0 {
		out = append(out, writingCases...)
	}
	return out
}

// withRetries runs a case; releases that are known to stall get another try, which
// is told loudly.
func withRetries(t *testing.T, b *bench, run func(testing.TB, *bench)) {
	for try := 0; ; try++ {
		if try == b.retries {
			run(t, b)
			return
		}
		a := &attempt{TB: t, number: try}
		a.run(func() { run(a, b) })
		if !a.Failed() {
			return
		}
		*b.retried++
		t.Logf("report: Redisson %s: tried %s again after: %s", b.version, t.Name(), cmp.Or(a.firstLine(), "no message"))
	}
}
