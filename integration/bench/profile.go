package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
)

// cpuProfile makes a profile of this process while a run lasts, and returns where its time goes.
func (b *bench) cpuProfile(name string, run func() error) (string, error) {
	dir := b.profiles
	if dir == "" {
		dir = b.dir
	}
	path := filepath.Join(dir, name+".pprof")
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // pprof reads what is there, or fails
	if err = pprof.StartCPUProfile(file); err != nil {
		return "", err
	}
	err = run()
	pprof.StopCPUProfile()
	if err != nil {
		return "", err
	}
	return pprofTop(b.ctx, path)
}

// profiled is cpuProfile of a run that offers n messages to an empty Redis, with what Redis spends on
// each in the first paragraph.
func (b *bench) profiled(name string, n int, run func() error) (string, error) {
	if err := b.clean(); err != nil {
		return "", err
	}
	w, err := watchLoad(b.ctx, b.rdb)
	if err != nil {
		return "", err
	}
	var l load
	top, err := b.cpuProfile(name, func() (err error) {
		if err = run(); err == nil {
			l, err = w.end(b.ctx)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s messages a script. Redis, µs per message: %s of CPU; scripts %s in all; by command %s\n\n%s",
		figure(float64(n)/l.scripts.calls), figure(l.cpu/float64(n)), figure(l.scripts.micros/float64(n)), l.perMessage(n), top), nil
}
