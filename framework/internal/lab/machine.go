package lab

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

const unknown = "unknown"

// Machine names the processor, its cores and the Go release, as in
// "AMD EPYC, 2 cores; go1.26.8 linux/amd64".
func Machine() string {
	return fmt.Sprintf("%s, %d cores; %s %s/%s", processor(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return unknown + " processor"
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return unknown + " processor"
}

// LoadAverage is the system's of the last minute, or "unknown".
func LoadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return unknown
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
