package framework

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxFiles and maxLines are what a package may have without its tests.
const (
	maxFiles = 30
	maxLines = 4000
)

// floors are packages from the lowest floor to the highest. Each depends on those of lower
// floors alone, also through packages that are not named here. Internal packages that are
// not named lie below package framework.
var floors = [][]string{
	{"codecs"},
	{"handlers"},
	{"registry"},
	{"framework/internal/chance", "framework/internal/errtext", "framework/internal/sampling"},
	{"framework/fault", "framework/health", "framework/tracing"},
	{"framework/internal/config", "framework/internal/engine/trouble", "framework/internal/gate", "framework/internal/rediserr", "framework/internal/retry", "framework/internal/telemetry", "framework/internal/wire"},
	{"framework/internal/script", "framework/internal/subscribe", "framework/internal/tracking"},
	{"framework/internal/control", "framework/internal/delayed", "framework/internal/journal", "framework/internal/migrate", "framework/internal/presence", "framework/internal/probe", "framework/internal/retire"},
	{"framework/internal/watch"},
	{"framework/internal/access", "framework/internal/connect", "framework/internal/foreign", "framework/internal/recode", "framework/internal/lease"},
	{"framework/internal/engine/deadstore", "framework/internal/engine/outage", "framework/internal/engine/seats", "framework/internal/engine/sessions", "framework/internal/engine/jobctx", "framework/internal/engine/room", "framework/internal/engine/stacks", "framework/internal/engine/stopping", "framework/internal/engine/suspects"},
	{"framework/internal/engine/offered"},
	{"framework/internal/engine"},
	{"framework"},
	{"framework/admin", "framework/embedded", "framework/internal/deadletter", "framework/web/internal/chart", "framework/web/internal/forecast", "framework/web/internal/history", "framework/web/internal/reads"},
	{"framework/internal/bulk", "framework/internal/queuestate", "framework/ondead", "framework/outbox", "framework/recode"},
	{"framework/web"},
	{"framework/cmd/duequeue/internal/gosource", "framework/cmd/duequeue/internal/partitiontable", "framework/cmd/duequeue/internal/screen"},
	{"framework/cmd/duequeue/internal/env", "framework/cmd/duequeue/internal/javadesc"},
	{"framework/cmd/duequeue/internal/decode", "framework/cmd/duequeue/internal/fleet", "framework/cmd/duequeue/internal/manual", "framework/cmd/duequeue/internal/reading"},
	{"framework/cmd/duequeue/internal/change", "framework/cmd/duequeue/internal/dead", "framework/cmd/duequeue/internal/leave", "framework/cmd/duequeue/internal/look"},
	{"framework/cmd/duequeue", "framework/frameworktest"},
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Dir                   string
	GoFiles, CgoFiles, IgnoredGoFiles []string
	Deps                              []string
}

const modulePath = "github.com/duequeue/duequeue/"

// listModule returns the packages of the module by their folders.
func listModule(t *testing.T) map[string]listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles,Deps", "../...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]listed{}
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages[strings.TrimPrefix(p.ImportPath, modulePath)] = p
	}
}

// Each package of the framework is small enough to read as a whole.
func TestPackageSizes(t *testing.T) {
	t.Parallel()
	for name, p := range listModule(t) {
		if !strings.HasPrefix(name, "framework") {
			continue
		}
		files, lines := 0, 0
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			files++
			lines += bytes.Count(source, []byte("\n"))
		}
		if files > maxFiles || lines > maxLines {
			t.Errorf("package %s has %d files with %d lines, without tests; at most %d with %d: split it", name, files, lines, maxFiles, maxLines)
		}
	}
}

// Imports go down: from a higher floor to a lower one.
func TestFloors(t *testing.T) {
	t.Parallel()
	packages, floorOf := listModule(t), map[string]int{}
	for floor, names := range floors {
		for _, name := range names {
			if _, ok := packages[name]; !ok {
				t.Errorf("floors names %s, which is no package: rename or remove it", name)
			}
			floorOf[name] = floor
		}
	}
	for name, p := range packages {
		floor, named := floorOf[name]
		switch {
		case named:
		case strings.HasPrefix(name, "framework/internal/"):
			floor = floorOf["framework"]
		default:
			continue
		}
		for _, dep := range p.Deps {
			lower, ok := floorOf[strings.TrimPrefix(dep, modulePath)]
			if ok && lower >= floor {
				t.Errorf("package %s depends on %s, which lies on no lower floor", name, dep)
			}
		}
	}
}

// A service links the codecs that it declares queues with, and the default one.
func TestLinkedCodecs(t *testing.T) {
	t.Parallel()
	deps := listModule(t)["framework"].Deps
	for _, codec := range []string{"avro", "cbor", "compress", "fst", "ion", "jackson", "marshalling", "msgpack", "protobuf", "smile", "sniff", "catalog"} {
		if slices.Contains(deps, modulePath+"codecs/"+codec) {
			t.Errorf("package framework links codecs/%s", codec)
		}
	}
}
