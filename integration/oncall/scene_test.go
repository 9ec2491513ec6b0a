package oncall_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/integration/rig"
	prom "github.com/duequeue/duequeue/framework/integration/rig/prometheus"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

const (
	// lease is that of services.
	lease = 6 * time.Second
	// lookEvery is the pause between two looks of a person.
	lookEvery = 300 * time.Millisecond
)

// scene is where a fault happens: a Redis, services, a console, and who is on call.
type scene struct {
	t      *testing.T
	begun  time.Time
	alerts *prom.Server
	queue  string
	redis  *lab.Server
	env    []string  // of programs: which Redis they use
	found  finding   // the fault, as it was found
	hints  []finding // of the queue, where nothing is wrong
	warned string    // by doctor, which could not look at all
	code   int       // doctor's exit code
	said   string    // by the command that was printed
	needs  string    // address of what handlers call
	broken *program  // the service with the fault
	repair func()    // takes the fault away

	console string   // its address, once it is open
	targets []string // addresses of metrics
}

// finding is one of duequeue doctor -json.
type finding struct {
	Queue, Check, State, Severity, Message, Evidence, Advice, Command string
}

func newScene(t *testing.T, alerts *prom.Server, queue string) *scene {
	t.Helper()
	s := &scene{t: t, begun: time.Now(), alerts: alerts, queue: queue, redis: lab.StartRedis(t, lab.AppendOnly())}
	path := filepath.Dir(rig.CommandLine(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	s.env = []string{"PATH=" + path, "XDG_CONFIG_HOME=" + t.TempDir(), "DUEQUEUE_REDIS_URL=" + s.redis.URL()}
	return s
}

// step notes how far the scene is, and when.
func (s *scene) step(format string, args ...any) {
	s.t.Helper()
	s.t.Logf("%3.0f s  "+format, append([]any{time.Since(s.begun).Seconds()}, args...)...)
}

// environ is the environment of programs: the program duequeue is on the path.
func (s *scene) environ() []string { return append(os.Environ(), s.env...) }

// sh runs a command as it is printed. It returns what the command printed, and its errors.
func (s *scene) sh(command string) (out, errs string, err error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "sh", "-c", command)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = s.environ(), &stdout, &stderr
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

// run is sh of a command that must end well.
func (s *scene) run(command string) string {
	s.t.Helper()
	out, errs, err := s.sh(command)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s%s", command, err, out, errs)
	}
	return out
}

// begin starts a command that goes on, as it is printed.
func (s *scene) begin(command string) *program {
	s.t.Helper()
	return s.start(exec.Command("sh", "-c", "exec "+command)) //nolint:noctx // lab ends it
}

// doctor returns what the command line finds of the queue, the worst first, and of the server.
func (s *scene) doctor() (queue, server []finding) {
	s.t.Helper()
	out, errs, err := s.sh("duequeue doctor -json " + s.queue)
	s.warned, s.code, s.hints = errs, 0, nil
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		s.code = exit.ExitCode()
	}
	lines := json.NewDecoder(strings.NewReader(out))
	for {
		f := finding{}
		if err := lines.Decode(&f); err != nil {
			return queue, server
		}
		if f.State = cmp.Or(f.State, f.Check); f.Severity == "info" {
			s.hints = append(s.hints, f)
			continue
		}
		if f.Queue == "" {
			server = append(server, f)
		} else {
			queue = append(queue, f)
		}
	}
}

// stateOf is what "duequeue queues" says of the queue in a word, and what it says of the server.
func (s *scene) stateOf() (state, server string) {
	s.t.Helper()
	out, errs, _ := s.sh("duequeue queues -json " + s.queue)
	var line struct{ State string }
	if err := json.Unmarshal([]byte(out), &line); err != nil {
		return "not known: " + errs, errs
	}
	return line.State, errs
}

// open opens a console, as a process of its own.
func (s *scene) open() {
	s.t.Helper()
	if s.console != "" {
		return
	}
	p := s.begin("duequeue web -listen 127.0.0.1:0 -metrics 127.0.0.1:0 -role support -budget 1")
	s.console = strings.TrimSuffix("http://"+p.await(s.t, "http://"), "/")
	s.scrape(p.await(s.t, "msg=metrics address="))
}

// envHold is for how long faults stay, such as 30m, for people who want to find them by hand: the test
// prints where they look, and checks nothing.
const envHold = "DUEQUEUE_TEST_HOLD"

// hold keeps the fault where envHold says so.
func (s *scene) hold() bool {
	s.t.Helper()
	text := os.Getenv(envHold)
	if text == "" {
		return false
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatalf("%s: %v", envHold, err)
	}
	s.t.Logf("PATH=%s:$PATH; export DUEQUEUE_REDIS_URL=%s; console at %s", filepath.Dir(rig.CommandLine(s.t)), s.redis.URL(), s.console)
	select {
	case <-time.After(length):
	case <-s.t.Context().Done():
	}
	return true
}

// watch opens a console before the fault, and waits until it has found the queue.
func (s *scene) watch() {
	s.t.Helper()
	s.open()
	s.await(func() string {
		if page := s.page("/"); !strings.Contains(page, plain(s.queue)) {
			return "the console does not list the queue: " + page
		}
		return ""
	})
}

// page returns the words of a page of the console.
func (s *scene) page(path string) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.console+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return plain(html.UnescapeString(tags.ReplaceAllString(string(body), "")))
}

var (
	tags    = regexp.MustCompile(`<[^>]*>`)
	numbers = regexp.MustCompile(`\d+( (ms|s|min|h|days)\b)?`)
)

// plain is a text without what differs between two looks.
func plain(text string) string {
	return strings.Join(strings.Fields(numbers.ReplaceAllString(text, "N")), " ")
}

// queuePage is the path of the queue's page.
func (s *scene) queuePage() string { return "/queue?q=" + url.QueryEscape(s.queue) }

// scrape lets Prometheus read metrics.
func (s *scene) scrape(address string) {
	s.t.Helper()
	if len(s.targets) == 0 {
		s.t.Cleanup(func() { s.write(nil) })
	}
	s.targets = append(s.targets, address)
	s.write(s.targets)
}

func (s *scene) write(targets []string) {
	text, err := json.Marshal([]map[string][]string{{"targets": append([]string{}, targets...)}})
	if err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(s.alerts.Folder, s.queue+".json")
	if err = os.WriteFile(file+".new", text, 0o600); err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// firing returns the names of alerts that fire for this scene: for its queue, for one of its
// processes, or for its server. Those that tell a finding are for this one alone.
func (s *scene) firing() (names []string) {
	s.t.Helper()
	all, _ := s.alerts.Firing(s.t)
	for _, a := range all {
		queue, reason, state := a.Labels["messaging_destination_name"], a.Labels["messaging_redisson_reason"], a.Labels["messaging_redisson_state"]
		instance := a.Labels["instance"]
		ours := queue == s.queue || queue == "" && (slices.Contains(s.targets, instance) || reason == s.found.Check && s.found.Queue == "")
		ours = ours || queue+instance+reason == "" && strings.HasPrefix(a.Name(), "DuequeueOutbox") // one scene has an outbox
		if a.Name() == "DuequeueFinding" && (reason != s.found.Check || queue == s.queue && state != s.found.State) {
			continue
		}
		if ours {
			names = append(names, a.Name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// await asks again, as often as a person would, until nothing is missing. A number that grows is no
// progress.
func (s *scene) await(missing func() string) {
	s.t.Helper()
	lab.Wait(s.t, func() string {
		text := missing()
		if text != "" {
			<-time.After(lookEvery)
		}
		return plain(text)
	})
}

// offer offers messages that are due now.
func (s *scene) offer(queue string, bodies ...string) {
	s.t.Helper()
	s.due(queue, 0, bodies...)
}

// due puts messages where Redisson's offer puts them, due so long ago.
func (s *scene) due(queue string, ago time.Duration, bodies ...string) {
	s.t.Helper()
	s.put(s.redis.Client(), queue, ago, bodies...)
}

func (s *scene) put(rdb redis.Cmdable, queue string, ago time.Duration, bodies ...string) {
	s.t.Helper()
	score := float64(time.Now().Add(-ago).UnixMilli())
	var set []redis.Z
	var list []any
	for _, body := range bodies {
		e := fmt.Sprintf("\x08%08x%s%s", rand.Uint32(), length(body), body)
		set, list = append(set, redis.Z{Score: score, Member: e}), append(list, e)
	}
	pipe := rdb.TxPipeline()
	pipe.ZAdd(s.t.Context(), "redisson_delay_queue_timeout:{"+queue+"}", set...)
	pipe.RPush(s.t.Context(), "redisson_delay_queue:{"+queue+"}", list...)
	if _, err := pipe.Exec(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// length is that of a payload, as an element has it.
func length(body string) string {
	n := len(body)
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), 0, 0, 0, 0})
}

// many are n messages.
func many(n int, what string) (bodies []string) {
	for i := range n {
		bodies = append(bodies, fmt.Sprintf("%s %d", what, i))
	}
	return bodies
}
