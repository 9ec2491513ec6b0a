package lab

import (
	"fmt"
	"net"
	"strconv"
)

// busOffset is the distance between a node's port and its cluster bus port, fixed
// before Redis 7.
const busOffset = 10000

// freePort returns a loopback port that is free at this moment. Another process may take it
// before the server does; the caller then tries another one.
func freePort(bus bool) (int, error) {
	for range 100 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, fmt.Errorf("find a free loopback port: %w", err)
		}
		port := ln.Addr().(*net.TCPAddr).Port
		usable := !bus || busFree(port)
		if err := ln.Close(); err != nil {
			return 0, fmt.Errorf("find a free loopback port: %w", err)
		}
		if usable {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free loopback port: none of 100 had its bus port (+%d) free", busOffset)
}

// busFree tells whether the cluster bus port that belongs to port can be used.
func busFree(port int) bool {
	if port+busOffset > 65535 {
		return false
	}
	ln, err := net.Listen("tcp", loopback(port+busOffset))
	if err != nil {
		return false
	}
	return ln.Close() == nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
