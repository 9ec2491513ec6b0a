package deploy_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"

	prom "github.com/duequeue/duequeue/framework/integration/rig/prometheus"
)

const folder = "../../examples/20-deploy/"

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The rules pass their own tests.
func TestRules(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "promtool", "test", "rules", "rules_test.yml")
	cmd.Dir = folder + "prometheus"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Each alert has its test, and its section of OPERATIONS.md, and there is no section without.
func TestEachAlertHasItsSection(t *testing.T) {
	t.Parallel()
	rules, tests := string(read(t, prom.Rules)), string(read(t, folder+"prometheus/rules_test.yml"))
	operations := string(read(t, "../../framework/OPERATIONS.md"))
	var sections []string
	for _, m := range regexp.MustCompile(`(?m)^### (Duequeue\S+)$`).FindAllStringSubmatch(operations, -1) {
		sections = append(sections, m[1])
	}
	alerts := prom.Names(t)
	if !slices.Equal(alerts, sections) {
		t.Errorf("alerts %q\nsections %q", alerts, sections)
	}
	for _, name := range alerts {
		if !strings.Contains(rules, "OPERATIONS.md#"+strings.ToLower(name)+"\n") {
			t.Errorf("%s has no link to its section", name)
		}
		if !strings.Contains(tests, "alertname: "+name) {
			t.Errorf("%s has no test", name)
		}
	}
}

// The rules read only metrics that there are, or record them.
func TestRulesReadMetricsThatThereAre(t *testing.T) {
	t.Parallel()
	rules, page := string(read(t, prom.Rules)), string(read(t, "../../framework/METRICS.md"))
	names := regexp.MustCompile(`\b(messaging_(?:redisson|client|process)_[a-z_]+?)(?:_bucket|_count|_sum)?[\[{ )]|(duequeue:[a-z_:0-9]+)`).FindAllStringSubmatch(rules, -1)
	if len(names) < 30 {
		t.Fatalf("%d names", len(names))
	}
	labels := []string{"messaging_redisson_reason", "messaging_redisson_state"}
	for _, m := range names {
		switch metric, recorded := m[1], m[2]; {
		case recorded != "" && !strings.Contains(rules, "- record: "+recorded+"\n"):
			t.Errorf("%s is not recorded", recorded)
		case metric != "" && !slices.Contains(labels, metric) && !strings.Contains(page, "| `"+metric+"` |"):
			t.Errorf("%s is not in METRICS.md", metric)
		}
	}
}

// The dashboard is what its program writes.
func TestDashboardIsGenerated(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "run", "./dashboard").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out, read(t, dashboardFile)) {
		t.Error("dashboard.json is not what go run ./deploy/dashboard writes: run it again")
	}
}

// The manifests have only fields that there are, of the right types.
func TestManifests(t *testing.T) {
	t.Parallel()
	kinds := map[string]func() any{
		"Deployment":          func() any { return &apps.Deployment{} },
		"PodDisruptionBudget": func() any { return &policy.PodDisruptionBudget{} },
		"Service":             func() any { return &core.Service{} },
		"ServiceMonitor":      func() any { return &serviceMonitor{} },
	}
	files, err := filepath.Glob(folder + "kubernetes/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%q %v", files, err)
	}
	for _, file := range files {
		var service *core.Service
		for part := range strings.SplitSeq(string(read(t, file)), "\n---\n") {
			var head struct{ Kind string }
			if err := yaml.Unmarshal([]byte(part), &head); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if head.Kind == "ScaledObject" {
				checkScaledObject(t, []byte(part))
				continue
			}
			of, known := kinds[head.Kind]
			if !known {
				t.Errorf("%s: kind %q is not checked", file, head.Kind)
				continue
			}
			into := of()
			if err := yaml.UnmarshalStrict([]byte(part), into); err != nil {
				t.Errorf("%s: %s: %v", file, head.Kind, err)
			}
			switch of := into.(type) {
			case *apps.Deployment:
				checkDeployment(t, file, of)
			case *core.Service:
				service = of
			case *serviceMonitor:
				of.check(t, file, service)
			}
		}
	}
}

// serviceMonitor is what the manifests use of the Prometheus operator's kind.
type serviceMonitor struct {
	APIVersion string `json:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Selector  struct{ MatchLabels map[string]string }
		Endpoints []struct {
			Port, Path, Interval string
			Relabelings          []struct{ TargetLabel, Replacement string }
		}
	}
}

// check wants that the monitor finds the service before it in the file, and the service's port.
func (m *serviceMonitor) check(t *testing.T, file string, service *core.Service) {
	t.Helper()
	if service == nil || !maps.Equal(service.Labels, m.Spec.Selector.MatchLabels) {
		t.Fatalf("%s: ServiceMonitor %s finds no Service", file, m.Metadata.Name)
	}
	for _, e := range m.Spec.Endpoints {
		if !slices.ContainsFunc(service.Spec.Ports, func(p core.ServicePort) bool { return p.Name == e.Port }) {
			t.Errorf("%s: the Service has no port %q", file, e.Port)
		}
	}
}

// checkDeployment looks for what a program that holds messages needs.
func checkDeployment(t *testing.T, file string, d *apps.Deployment) {
	t.Helper()
	pod := d.Spec.Template.Spec
	if pod.TerminationGracePeriodSeconds == nil || *pod.TerminationGracePeriodSeconds < 20 {
		t.Errorf("%s: the pod has too little time to stop", file)
	}
	for _, c := range pod.Containers {
		if c.LivenessProbe == nil || c.ReadinessProbe == nil || c.SecurityContext == nil || !*c.SecurityContext.RunAsNonRoot || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s: container %s lacks a probe, a user without rights or a limit", file, c.Name)
		}
		for port := range d.Spec.Template.Annotations {
			if port == "prometheus.io/port" && len(c.Ports) == 0 {
				t.Errorf("%s: Prometheus is sent to a port that is not there", file)
			}
		}
	}
}

// checkScaledObject holds the manifest against the schema that KEDA released.
func checkScaledObject(t *testing.T, text []byte) {
	t.Helper()
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(read(t, "testdata/keda.sh_scaledobjects.yaml"), &crd); err != nil {
		t.Fatal(err)
	}
	var object any
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.check(t, "ScaledObject", object)
}

// schema is what the schema of a resource says, as far as it is used there.
type schema struct {
	Type                 string            `json:"type"`
	Properties           map[string]schema `json:"properties"`
	AdditionalProperties *schema           `json:"additionalProperties"`
	Items                *schema           `json:"items"`
	Required             []string          `json:"required"`
	Enum                 []any             `json:"enum"`
}

func (s schema) check(t *testing.T, at string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if v[name] == nil {
				t.Errorf("%s lacks %s", at, name)
			}
		}
		for name, value := range v {
			of, ok := s.Properties[name]
			switch {
			case ok:
				of.check(t, at+"."+name, value)
			case s.AdditionalProperties != nil:
				s.AdditionalProperties.check(t, at+"."+name, value)
			case len(s.Properties) > 0:
				t.Errorf("%s has no field %s", at, name)
			}
		}
	case []any:
		for _, value := range v {
			if s.Items == nil {
				t.Errorf("%s is no list", at)
				return
			}
			s.Items.check(t, at+"[]", value)
		}
	case string, bool, float64:
		is := map[string]bool{"string": s.Type == "string", "bool": s.Type == "boolean", "float64": s.Type == "integer" || s.Type == "number"}
		if !is[fmt.Sprintf("%T", v)] {
			t.Errorf("%s is %T, want %s", at, v, s.Type)
		}
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			t.Errorf("%s is %v, want one of %v", at, v, s.Enum)
		}
	}
}

// The compose file keeps to the schema, and the files that it mounts are there.
func TestCompose(t *testing.T) {
	t.Parallel()
	options, err := cli.NewProjectOptions([]string{folder + "compose.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range project.Services {
		for _, v := range s.Volumes {
			if v.Type != "bind" {
				continue
			}
			if _, err := os.Stat(v.Source); err != nil {
				t.Errorf("%s mounts a file that is not there: %v", name, err)
			}
		}
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The units are ones that systemd takes.
func TestUnits(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob(folder + "systemd/*.service")
	if err != nil || len(units) != 2 {
		t.Fatalf("%q %v", units, err)
	}
	for _, unit := range units {
		text := string(read(t, unit))
		for _, want := range []string{"ExecStart=/", "TimeoutStopSec=", "Restart=always", "DynamicUser=yes"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s", unit, want)
			}
		}
		program, err := exec.LookPath("systemd-analyze")
		if err != nil {
			t.Logf("no systemd here: %s was only read", unit)
			continue
		}
		// The programs and files that it names are not there; all else must be right.
		out, _ := exec.CommandContext(t.Context(), program, "verify", unit).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, filepath.Base(unit)) && !strings.Contains(line, "is not executable") {
				t.Errorf("%s", line)
			}
		}
	}
}
