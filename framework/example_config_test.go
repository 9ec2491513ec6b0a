package framework_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
)

// A configuration file. Any of its values can be overridden by the environment, here
// for example by DUEQUEUE_REDIS_PASSWORD.
const configFile = `
redis:
  addrs: [sentinel-1:26379, sentinel-2:26379, sentinel-3:26379]
  master_name: orders
  username: shop
  password: secret
  tls:
    enabled: true
name:
  prefix: "prod:"
lease: 1m
`

func ExampleLoadConfig() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "duequeue.yaml")
	if err := os.WriteFile(path, []byte(configFile), 0o600); err != nil {
		panic(err)
	}

	cfg, err := framework.LoadConfig(path)
	fmt.Println(err, cfg.Redis.MasterName, cfg.Lease)
	fmt.Println(cfg.Redacted().Redis.Password)
	// Output:
	// <nil> orders 1m0s
	// (redacted)
}

// A service keeps the queues in a section of its configuration file.
func ExampleSection() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "shop.yaml")
	if err := os.WriteFile(path, []byte("port: 8080\nqueues:\n  redis: {url: redis://localhost:6379}\n  lease: 1m\n"), 0o600); err != nil {
		panic(err)
	}

	cfg, err := framework.LoadConfig(path, framework.Section("queues"), framework.EnvPrefix("SHOP_QUEUES_"))
	fmt.Println(err, cfg.Redis.URL, cfg.Lease)
	// Output:
	// <nil> redis://localhost:6379 1m0s
}

// All mistakes are reported together, each with its place.
func ExampleConfigErrors() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "duequeue.yaml")
	text := "redis:\n  url: redis://localhost/first\n  pasword: x\nlease: 30\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}

	_, err = framework.LoadConfig(path)
	var mistakes fault.ConfigErrors
	if errors.As(err, &mistakes) {
		for _, m := range mistakes {
			fmt.Printf("%s: %s\n", m.Origin, m.Field)
		}
	}
	// Output:
	// duequeue.yaml:2: redis.url
	// duequeue.yaml:3: redis.pasword
	// duequeue.yaml:4: lease
}
