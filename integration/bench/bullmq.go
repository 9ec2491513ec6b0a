package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	bullName       = "BullMQ"
	bullConcurrent = bullName + ", 128 at a time"
)

// bullFiles are the Node side. They are named one by one: what an installation has
// left among them is not part of the program.
//
//go:embed bullmq/bench.mjs bullmq/package.json bullmq/package-lock.json
var bullFiles embed.FS

// bullmq is the Node side. The first part that needs it installs and starts it.
func (b *bench) bullmq() (*program, error) {
	if b.bull != nil {
		return b.bull, nil
	}
	b.progress("installing BullMQ")
	dir, err := b.installBullMQ()
	if err != nil {
		return nil, fmt.Errorf("install BullMQ: %w", err)
	}
	node := exec.CommandContext(b.ctx, "node", "bench.mjs")
	node.Dir = dir
	if b.bull, err = startProgram(node, b.dir, "bullmq"); err != nil {
		return nil, err
	}
	b.cleanups = append(b.cleanups, b.bull.stop)
	return b.bull, nil
}

// installBullMQ lays the Node side out in the temporary directory, with the releases that
// its lock file names, and returns where.
func (b *bench) installBullMQ() (string, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("it runs on Node.js: %w; install it, as by: apt-get install nodejs npm", err)
		}
	}
	files, err := fs.Sub(bullFiles, "bullmq")
	if err != nil {
		return "", fmt.Errorf("find its files: %w", err)
	}
	dir := filepath.Join(b.dir, "bullmq")
	if err = os.CopyFS(dir, files); err != nil {
		return "", fmt.Errorf("copy its files: %w", err)
	}
	// Nothing of it needs a script: what is native comes built.
	npm := exec.CommandContext(b.ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return dir, nil
}

// consumeBull fills a queue of BullMQ's, then empties it with a no-op processor.
func (b *bench) consumeBull(n int) (float64, error) {
	bull, err := b.bullmq()
	if err != nil {
		return 0, err
	}
	return bull.rate("consume %s bench %d %d %d", b.srv.URL(), n, payloadBytes, burstWorkers)
}

// offerBull offers by addBulk and returns offers a second.
func (b *bench) offerBull(n int, due time.Time) (float64, error) {
	bull, err := b.bullmq()
	if err != nil {
		return 0, err
	}
	return bull.rate("offer %s %s %d %d %d", b.srv.URL(), peersQueue, n, payloadBytes, due.UnixMilli())
}

// bullServer is a worker of BullMQ in the Node process.
type bullServer struct{ node *program }

func (b *bench) serveBull(n int, due time.Time) (server, error) {
	bull, err := b.bullmq()
	if err != nil {
		return nil, err
	}
	_, err = bull.call("serve %s %s %d %d %d", b.srv.URL(), peersQueue, burstWorkers, due.UnixMicro(), n)
	return &bullServer{bull}, err
}

func (s *bullServer) start() (time.Time, error) { return s.node.micros("serve-start") }

func (*bullServer) rest() error { return nil }

func (s *bullServer) await(int) (h handled, err error) {
	text, err := s.node.call("serve-await %d", int(burstLimit.Seconds()))
	if err != nil {
		return h, err
	}
	if err = json.Unmarshal([]byte(text), &h); err != nil {
		return h, fmt.Errorf("what BullMQ tells: %w", err)
	}
	return h, nil
}

func (s *bullServer) stop() error {
	_, err := s.node.call("serve-stop")
	return err
}
