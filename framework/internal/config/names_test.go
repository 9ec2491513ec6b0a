package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// TestConfigNames pins the names that operators write.
func TestConfigNames(t *testing.T) {
	t.Parallel()
	got := strings.Join(config.Names(new(framework.Config), framework.DefaultEnvPrefix), "\n") + "\n"
	want, err := os.ReadFile("testdata/config-names.txt")
	if err != nil || got != string(want) {
		t.Errorf("names differ from testdata/config-names.txt (%v):\n%s", err, got)
	}
}
