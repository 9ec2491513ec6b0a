package framework

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

const defaultRedisPort = "6379"

// redisURL is what a URL says.
type redisURL struct {
	addr     string
	username string
	password string
	db       int
	hasDB    bool
	tls      bool
}

var errURLForm = errors.New("must be redis://[user[:password]@]host[:port][/db], rediss://… for TLS, or embedded")

// parseRedisURL reads a URL. Its errors never quote the URL: with a special character
// left unescaped, a part of the password may stand where the host should be.
func parseRedisURL(text string) (redisURL, error) {
	u, err := url.Parse(text)
	if err != nil {
		if strings.Contains(text, "@") {
			return redisURL{}, errors.New("cannot be parsed; write special characters of user and password percent-encoded (# is %23, / is %2F), or use redis.username and redis.password")
		}
		return redisURL{}, errURLForm
	}
	if (u.Scheme != "redis" && u.Scheme != "rediss") || u.Opaque != "" || u.Hostname() == "" {
		return redisURL{}, errURLForm
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return redisURL{}, errors.New("must carry no ?query and no #fragment: use the fields of redis (timeouts, pool, tls …); a # in the password is written %23")
	}
	out := redisURL{tls: u.Scheme == "rediss", username: u.User.Username()}
	out.password, _ = u.User.Password()
	port := u.Port()
	if port == "" {
		port = defaultRedisPort
	}
	out.addr = net.JoinHostPort(u.Hostname(), port)
	if err := checkAddr(out.addr); err != nil {
		return redisURL{}, err
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		db, err := strconv.Atoi(path)
		if err != nil || db < 0 {
			return redisURL{}, errors.New("must end with the number of a database, or nothing, after the host")
		}
		out.db, out.hasDB = db, true
	}
	return out, nil
}

// checkAddr checks host:port.
func checkAddr(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" || strings.ContainsAny(host, " /@") {
		return errors.New("must be host:port")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return errors.New("needs a port from 1 to 65535")
	}
	return nil
}
