package jvm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
)

// TestTruststore: the command that LoadRedisson names makes PEM of a truststore that keytool
// wrote, and with that file the configuration is whole.
func TestTruststore(t *testing.T) {
	dir := t.TempDir()
	sh := func(command string) {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, jvm.Environ(), strings.NewReader("changeit\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	sh("keytool -genkeypair -alias redis -keyalg EC -dname CN=localhost -keystore trust.jks -storepass changeit")
	file := filepath.Join(dir, "redisson.yaml")
	yaml := "singleServerConfig:\n  address: rediss://localhost:6379\n  sslTruststore: file:trust.jks\n  sslTruststorePassword: changeit\n"
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := framework.LoadRedisson(file)
	if err == nil {
		t.Fatal("a truststore of Java was taken")
	}
	named := regexp.MustCompile(`as PEM by: (.*?); then set redis\.tls\.ca_file: (\S+)\. `).FindStringSubmatch(err.Error())
	if named == nil {
		t.Fatalf("no command in: %v", err)
	}
	sh(strings.ReplaceAll(named[1], "STORE", "trust.jks"))
	t.Setenv("DUEQUEUE_REDIS_TLS_CA_FILE", filepath.Join(dir, named[2]))
	if cfg, err := framework.LoadRedisson(file, framework.ByProgram("sslTruststore")); err != nil || cfg.Redis.TLS.CAFile == "" {
		t.Errorf("with %s: %v", named[2], err)
	}
}
