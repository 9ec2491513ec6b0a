package fault

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// busOffset is the distance between a node's port and its cluster bus port.
const busOffset = 10000

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePort returns a loopback port that nobody listens on at this moment.
func freePort(bus bool) (int, error) {
	for range 100 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, fmt.Errorf("find a free loopback port: %w", err)
		}
		port := ln.Addr().(*net.TCPAddr).Port
		usable := !bus || listens(port+busOffset)
		if err := ln.Close(); err != nil {
			return 0, fmt.Errorf("find a free loopback port: %w", err)
		}
		if usable {
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free loopback port: none of 100 had its bus port (+%d) free", busOffset)
}

// listens tells whether one can listen on a port.
func listens(port int) bool {
	if port > 65535 {
		return false
	}
	ln, err := net.Listen("tcp", loopback(port))
	return err == nil && ln.Close() == nil
}

// ready asks over a connection of its own whether a server has loaded its data.
func ready(addr string) (err error) {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return errors.Join(errNotYet, err)
	}
	defer func() { _ = conn.Close() }()
	if err = conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	if _, err = conn.Write([]byte("PING\r\n")); err != nil {
		return errors.Join(errNotYet, err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return errors.Join(errNotYet, err)
	}
	if !strings.HasPrefix(line, "+PONG") {
		return fmt.Errorf("%w: PING answered %q", errNotYet, strings.TrimSpace(line))
	}
	return nil
}
