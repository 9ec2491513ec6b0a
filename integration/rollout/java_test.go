package rollout

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// process is a running program.
type process struct {
	cmd      *exec.Cmd
	out, err rig.Output
	ended    chan struct{}
}

// start runs a program in a folder until the test ends it, or ends.
func start(t *testing.T, dir, program string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(program, args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%s said:\n%s\n%s", filepath.Base(program), tail(p.out.String()), tail(p.err.String()))
		}
	})
	return p
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

// stop ends it as a deployment does, and waits.
func (p *process) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	lab.WaitFor(t, p.cmd.Path+" runs on", func() bool {
		select {
		case <-p.ended:
			return true
		default:
			return false
		}
	})
}

// says waits until the process has said what matches, and returns the last group.
func (p *process) says(t *testing.T, pattern string) string {
	t.Helper()
	want := regexp.MustCompile(pattern)
	var found []string
	lab.Wait(t, func() string {
		if found = want.FindStringSubmatch(p.out.String() + p.err.String()); found == nil {
			return "it has not said " + pattern
		}
		return ""
	})
	return found[len(found)-1]
}

// fatJar builds the Java service.
func fatJar(t *testing.T, boot, redisson string) string {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "java/build.sh", boot, redisson).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	jar, err := filepath.Abs(filepath.Join("java/target", boot, "orders-1.jar"))
	if err != nil {
		t.Fatal(err)
	}
	return jar
}

// java is the running Java service.
type java struct {
	*process

	base string // its URL
}

func startJava(t *testing.T, jar, redissonYAML string) *java {
	t.Helper()
	p := start(t, ".", "java", "-Xmx384m", "-XX:TieredStopAtLevel=1", "-jar", jar, "--server.port=0", "--spring.redis.redisson.file=file:"+redissonYAML)
	return &java{p, "http://127.0.0.1:" + p.says(t, `Tomcat started on port\S* (\d+)`)}
}

// post calls the controller.
func (j *java) post(ctx context.Context, path string, values url.Values) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, j.base+path+"?"+values.Encode(), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it is read
	if said, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d: %s", path, answer.StatusCode, said)
	}
	return nil
}

// consume lets Java take from a queue, or not.
func (j *java) consume(t *testing.T, code string, on bool) {
	t.Helper()
	if err := j.post(t.Context(), "/consume", url.Values{"code": {code}, "on": {fmt.Sprint(on)}}); err != nil {
		t.Fatal(err)
	}
}

// handled returns the lines of what Java has handled.
func (j *java) handled(t *testing.T) []string {
	t.Helper()
	answer, err := http.Get(j.base + "/handled") //nolint:noctx // of a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it is read
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(said), " ", ","))
}

// write makes a file in a folder.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
