package lab

import (
	"fmt"
	"net"
	"strconv"
)

// busOffset is the distance between the port of a cluster's node and its bus port, fixed
// before Redis 7.
const busOffset = 10000

// FreePort returns a loopback port that is free at this moment, and whose bus port is free
// too. Another process may take it before the caller does.
func FreePort() (int, error) {
	for range 100 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, fmt.Errorf("find a free port: %w", err)
		}
		port := ln.Addr().(*net.TCPAddr).Port
		bus, busErr := net.Listen("tcp", loopback(port+busOffset))
		if busErr == nil {
			busErr = bus.Close()
		}
		if err := ln.Close(); err != nil {
			return 0, fmt.Errorf("find a free port: %w", err)
		}
		if busErr == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port: none of 100 had a free bus port (+%d)", busOffset)
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
