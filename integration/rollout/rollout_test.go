package rollout

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/framework/integration/rig/prometheus"
	"github.com/duequeue/duequeue/framework/internal/lab"
)

// The queues of the Java service.
const (
	payment = "ORDER_PAYMENT_TIMEOUT" // which Go takes over
	comment = "ORDER_COMMENT_DEFAULT" // which stays with Java
)

// generations are Spring Boot, Redisson's starter for it, and the codec that "duequeue inspect"
// finds.
var generations = []struct{ boot, redisson, codec string }{
	{"2.7.18", "3.18.1", "marshalling.New()"},
	{"3.3.5", "3.52.0", "kryo5.New()"},
}

// TestRollout is a new user's day, for two generations: Java alone, what is there, a Go service
// of what inspect prints, Go as producer only, as transferrer only, one queue by Go beside Java,
// Go alone, and back.
func TestRollout(t *testing.T) {
	program := rig.CommandLine(t)
	for _, g := range generations {
		t.Run("Spring Boot "+g.boot, func(t *testing.T) {
			t.Parallel()
			d := begin(t, program, fatJar(t, g.boot, g.redisson), g.redisson)
			d.step("Java alone", func() { d.pass(time.Second) })
			d.shown("Java alone", ofQueues...)
			d.inspect(g.codec)
			service := d.service()

			d.step("Go as producer only", func() {
				for id := int64(1_000_000); id < 1_000_050; id++ {
					d.expect(id, payment, comment)
				}
				producer := start(t, d.dir, service, "offer", "1000000", "1000050")
				d.watch(producer.says(t, `metrics (\S+)`))
				producer.says(t, "(offered)")
				d.shown("Go as producer only", append(ofQueues, "client_sent_messages")...)
				producer.stop(t)
			})
			d.step("Go as transferrer only", func() {
				daemon := start(t, d.dir, program, "-redis", d.srv.URL(), "transfer", "-listen", "127.0.0.1:0", "-queues", payment+","+comment)
				d.watch(daemon.says(t, `"?address"?[=:]"?([0-9.:]+)`))
				daemon.says(t, "(queue served)")
				d.pass(2 * time.Second)
				d.shown("Go as transferrer only", append(ofQueues, "clock_skew")...)
				daemon.stop(t)
			})
			var consumer *process
			d.step("one queue by Go beside Java", func() {
				consumer = start(t, d.dir, service, "handle")
				d.goSide = append(d.goSide, consumer)
				d.watch(consumer.says(t, `metrics (\S+)`))
				consumer.says(t, "(serving)")
				d.pass(2 * time.Second)
			})
			d.shown("one queue by Go beside Java", append(ofQueues, ofHandlers...)...)
			if goHas, javaHas := d.shares(); goHas == 0 || javaHas == 0 {
				t.Errorf("Go handled %d, Java %d: each should have a share", goHas, javaHas)
			}
			d.java.consume(t, payment, false)
			d.pass(500 * time.Millisecond) // for a poll of Java's that is under way
			_, before := d.shares()
			d.step("Go alone", func() { d.pass(2 * time.Second) })
			d.shown("Go alone", append(ofQueues, ofHandlers...)...)
			if _, javaHas := d.shares(); javaHas != before {
				t.Errorf("Java handled %d more", javaHas-before)
			}
			d.step("back to Java", func() {
				d.java.consume(t, payment, true)
				consumer.stop(t)
				if out := d.command(program, "leave", "-wait", payment); !strings.Contains(out, payment) {
					t.Errorf("leave says %q", out)
				}
			})
			// Before anybody looks: who looks while a message is ready leaves a mark of when, which expires.
			for _, key := range d.srv.Client().Keys(t.Context(), "duequeue:*{"+payment+"}*").Val() {
				t.Errorf("%s is left", key)
			}
			d.shown("back to Java", ofQueues...)
			d.end()
		})
	}
}

// day is one run.
type day struct {
	t            *testing.T
	srv          *lab.Server
	dir, program string
	jar          string
	java         *java
	goSide       []*process
	prometheus   *prometheus.Server
	targets      []string // that it reads

	mu       sync.Mutex
	expected map[string]bool // "code id" that was offered
	load     chan struct{}   // closed when it has ended
	stop     context.CancelFunc
}

// begin starts Redis, the Java service and its load.
func begin(t *testing.T, program, jar, redisson string) *day {
	t.Helper()
	d := &day{t: t, srv: lab.StartRedis(t, lab.AppendOnly()), dir: t.TempDir(), program: program, jar: jar, expected: map[string]bool{}, load: make(chan struct{})}
	address, _ := strings.CutPrefix(d.srv.URL(), "redis://")
	yaml := write(t, d.dir, "redisson.yaml", fmt.Sprintf("singleServerConfig:\n  address: \"redis://%s\"\n  connectionMinimumIdleSize: 4\n  connectionPoolSize: 16\n",
		strings.TrimSuffix(address, "/0")))
	write(t, d.dir, "duequeue.yaml", d.command(program, "config", "-redisson", yaml, "-release", redisson))
	d.java = startJava(t, jar, yaml)
	for _, code := range []string{payment, comment} { // something that is pending at each look
		d.offer(t.Context(), code, 1, time.Hour)
	}
	d.prometheus = prometheus.Start(t, map[string]string{"prometheus.yml": scrapes, "targets.json": "[]"})
	console := start(t, d.dir, program, "-redis", d.srv.URL(), "web", "-listen", "127.0.0.1:0", "-metrics", "127.0.0.1:0")
	d.watch(console.says(t, `(?m)^.*\bmetrics\b.*?(127\.0\.0\.1:\d+)`))
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	go d.serve(ctx)
	t.Cleanup(func() { // before Java ends
		stop()
		<-d.load
	})
	return d
}

// scrapes lets Prometheus read whatever is watched.
const scrapes = `
scrape_configs:
  - {job_name: duequeue, scrape_interval: 500ms, scrape_timeout: 500ms, file_sd_configs: [{files: [targets.json], refresh_interval: 1s}]}
`

// The metrics whose queries of the dashboard have data: where nothing but the console looks, and
// where Go handles.
var (
	ofQueues   = []string{"queue_lag", "queue_overdue", "queue_delayed", "queue_ready", "queue_dead{"}
	ofHandlers = []string{
		"redisson_lateness", "consumed_messages", "retried_messages", "process_duration", "breaker_state", "queue_in_flight",
		"lost_leases", "reaped_messages", "possible_duplicate", "clock_skew",
	}
)

// watch lets Prometheus read one more process.
func (d *day) watch(address string) {
	d.t.Helper()
	d.targets = append(d.targets, address)
	text, err := json.Marshal([]map[string][]string{{"targets": d.targets}})
	if err != nil {
		d.t.Fatal(err)
	}
	// As a whole: Prometheus reads it whenever it changes.
	written := write(d.t, d.prometheus.Folder, "targets.new", string(text))
	if err := os.Rename(written, filepath.Join(d.prometheus.Folder, "targets.json")); err != nil {
		d.t.Fatal(err)
	}
}

// shown waits until each query of the dashboard about these metrics returns data.
func (d *day) shown(step string, metrics ...string) {
	d.t.Helper()
	empty := slices.DeleteFunc(prometheus.Dashboard(d.t, "../../examples/20-deploy/grafana/dashboard.json", "5s"), func(query string) bool {
		return !slices.ContainsFunc(metrics, func(name string) bool { return strings.Contains(query, name) })
	})
	if len(empty) < len(metrics) {
		d.t.Fatalf("%s: %d queries about %d metrics", step, len(empty), len(metrics))
	}
	lab.Wait(d.t, func() string {
		empty = slices.DeleteFunc(empty, func(query string) bool { return d.prometheus.Count(d.t, query) > 0 })
		if len(empty) > 0 {
			return fmt.Sprintf("%s: the dashboard has no data for %q", step, empty)
		}
		return ""
	})
}

// serve is the load: orders that come in all the time.
func (d *day) serve(ctx context.Context) {
	defer close(d.load)
	for id := int64(100); ; id++ {
		for _, code := range []string{payment, comment} {
			if ctx.Err() != nil {
				return
			}
			d.expect(id, code)
			d.offer(context.WithoutCancel(ctx), code, id, time.Duration(200+id*37%700)*time.Millisecond)
		}
		if pause(ctx, 20*time.Millisecond) {
			return
		}
	}
}

// pause reports whether ctx has ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return true
	case <-timer.C:
		return false
	}
}

func (d *day) pass(some time.Duration) { pause(d.t.Context(), some) }

func (d *day) offer(ctx context.Context, code string, id int64, delay time.Duration) {
	values := url.Values{"code": {code}, "id": {strconv.FormatInt(id, 10)}, "delay": {strconv.FormatInt(delay.Milliseconds(), 10)}}
	if err := d.java.post(ctx, "/orders", values); err != nil {
		d.t.Error(err)
	}
}

func (d *day) expect(id int64, codes ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, code := range codes {
		d.expected[fmt.Sprintf("%s %d", code, id)] = true
	}
}

// command runs a program in the service's folder and returns what it prints.
func (d *day) command(program string, args ...string) string {
	d.t.Helper()
	c := exec.CommandContext(d.t.Context(), program, args...)
	c.Dir = d.dir
	c.Env = append(os.Environ(), "DUEQUEUE_REDIS_URL="+d.srv.URL())
	var stderr rig.Output
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		d.t.Fatalf("%s %s: %v\n%s%s", filepath.Base(program), strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// inspect looks at what Java has, and writes the package that declares it in Go.
func (d *day) inspect(codec string) {
	d.t.Helper()
	out := d.command(d.program, "inspect", "-classes", d.jar, payment, comment)
	text, source, ok := strings.Cut(out, "\npackage orders\n")
	if !ok || !strings.Contains(source, codec) {
		d.t.Fatalf("inspect declares no %s:\n%s%s", codec, text, source)
	}
	write(d.t, d.dir, "orders/queues.go", "package orders\n"+source)
	_, line, ok := strings.Cut(source, "// duequeue javadesc ")
	if !ok {
		d.t.Fatalf("no command that makes the types:\n%s", source)
	}
	args, _, _ := strings.Cut(line, " > ")
	write(d.t, d.dir, "orders/orders.go", d.command(d.program, append([]string{"javadesc"}, strings.Fields(args)...)...))
	d.command(d.program, "doctor", payment, comment)
}

// service builds the Go service of what inspect printed: a module of its own.
func (d *day) service() string {
	d.t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		d.t.Fatal(err)
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			d.t.Fatal(err)
		}
		return string(text)
	}
	const module = "github.com/duequeue/duequeue"
	mod := strings.Replace(read(filepath.Join(root, "go.mod")), "module "+module, "module example.com/shop", 1)
	write(d.t, d.dir, "go.mod", mod+fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", module, module, root))
	write(d.t, d.dir, "go.sum", read(filepath.Join(root, "go.sum")))
	write(d.t, d.dir, "main.go", read("testdata/main.go.txt"))
	program := filepath.Join(d.dir, "shop")
	d.command("go", "build", "-o", program, ".")
	return program
}

// step does something while orders come in, and waits until all that were offered before its end
// are handled: once each, and not early.
func (d *day) step(name string, do func()) {
	d.t.Helper()
	do()
	d.mu.Lock()
	var due []string
	for order := range d.expected {
		due = append(due, order)
	}
	d.mu.Unlock()
	var missing []string
	lab.Wait(d.t, func() string {
		handled := d.handled()
		missing = slices.DeleteFunc(slices.Clone(due), func(order string) bool { return handled[order] > 0 })
		if len(missing) > 0 {
			return fmt.Sprintf("%s: %d of %d are not handled, such as %s", name, len(missing), len(due), missing[0])
		}
		return ""
	})
	d.t.Logf("%s: %d orders, all handled", name, len(due))
}

// handled counts who was handled how often, by whom ever.
func (d *day) handled() map[string]int {
	d.t.Helper()
	n := map[string]int{}
	for _, line := range append(d.java.handled(d.t), d.byGo()...) {
		var due, at int64
		f := strings.Split(line, ",")
		due, _ = strconv.ParseInt(f[2], 10, 64)
		at, _ = strconv.ParseInt(f[3], 10, 64)
		if n[f[0]+" "+f[1]]++; at < due-1 {
			d.t.Errorf("%s was handled %d ms early", line, due-at)
		}
	}
	return n
}

// byGo returns the lines of the Go services.
func (d *day) byGo() (lines []string) {
	for _, p := range d.goSide {
		for line := range strings.Lines(p.out.String()) {
			if f := strings.Fields(line); len(f) == 4 && strings.HasSuffix(line, "\n") {
				lines = append(lines, strings.Join(f, ","))
			}
		}
	}
	return lines
}

// shares returns how many of the payment timeouts Go has handled, and how many Java.
func (d *day) shares() (byGo, byJava int) {
	for _, line := range d.java.handled(d.t) {
		if strings.HasPrefix(line, payment) {
			byJava++
		}
	}
	return len(d.byGo()), byJava
}

// end stops the load and closes the account.
func (d *day) end() {
	d.t.Helper()
	d.stop()
	<-d.load
	d.step("the end", func() {})
	for order, n := range d.handled() {
		if n != 1 {
			d.t.Errorf("%s was handled %d times", order, n)
		}
	}
}
