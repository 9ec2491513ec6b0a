package chaos

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// javaVersions are the releases of Redisson whose clients take part: the newest, and one
// from before its queues were declared deprecated. Both read each other's elements.
var javaVersions = []string{"4.7.0", "3.45.1"}

// javaSide is the Java side on one release: the file with java's arguments, and the class path.
type javaSide struct{ args, classPath string }

var (
	javaMu    sync.Mutex
	javaSides = map[string]javaSide{}
)

// javaSide compiles the Java side on a release where that was not done yet.
func (s *stage) javaSide(version string) javaSide {
	javaMu.Lock()
	defer javaMu.Unlock()
	side, made := javaSides[version]
	if !made {
		var err error
		side.args, err = jvm.Build(s.ctx, version)
		must(s.tb, err)
		side.classPath, err = jvm.Compile(s.ctx, version, "chaos", filepath.Join(s.shared, version))
		must(s.tb, err)
		javaSides[version] = side
	}
	return side
}

// javaAddress is where the Java side finds Redis, see config in Side.java: one server, or the
// nodes of a cluster after "cluster ".
func javaAddress(to framework.RedisConfig) string {
	if to.URL != "" {
		return to.URL
	}
	return "cluster redis://" + strings.Join(to.Addrs, " redis://")
}

// enlistJava starts n Java processes on a release: part is produce or consume. env is added to
// their environment.
func (s *stage) enlistJava(kind, part, version string, n int, env ...string) {
	side := s.javaSide(version)
	for i := range n {
		s.fleet.add(kind, "java-"+version+"-"+part+"-"+strconv.Itoa(i+1), func(name string) (*exec.Cmd, error) {
			r := s.role(part, name)
			cmd := exec.Command("java", "@"+side.args, "-Xmx160m", "-cp", side.classPath, "duequeue.chaos.Side",
				part, name, javaAddress(r.Redis), queueName, r.Ledger, r.LedgerKey, strconv.FormatUint(r.Seed, 10),
				millis(r.Every), millis(r.MaxDelay), number(r.Workers), millis(r.Work))
			cmd.Env = append(jvm.Environ(), env...)
			return cmd, nil
		})
	}
}
