package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

const defaultRedisPort = "6379"

// URL is what the URL of a Redis says.
type URL struct {
	Addr     string // host:port
	Username string
	Password string
	DB       int
	HasDB    bool // it names a database
	TLS      bool
}

var errURLForm = errors.New("must be redis://[user[:password]@]host[:port][/db], rediss://… for TLS, or embedded")

// ParseURL reads a URL. Its errors never quote the URL: with a special character
// left unescaped, a part of the password may stand where the host should be.
func ParseURL(text string) (URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		if strings.Contains(text, "@") {
			return URL{}, errors.New("cannot be parsed; write special characters of user and password percent-encoded (# is %23, / is %2F), or use redis.username and redis.password")
		}
		return URL{}, errURLForm
	}
	if (u.Scheme != "redis" && u.Scheme != "rediss") || u.Opaque != "" || u.Hostname() == "" {
		return URL{}, errURLForm
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return URL{}, errors.New("must carry no ?query and no #fragment: use the fields of redis (timeouts, pool, tls …); a # in the password is written %23")
	}
	out := URL{TLS: u.Scheme == "rediss", Username: u.User.Username()}
	out.Password, _ = u.User.Password()
	port := u.Port()
	if port == "" {
		port = defaultRedisPort
	}
	out.Addr = net.JoinHostPort(u.Hostname(), port)
	if err := CheckAddr(out.Addr); err != nil {
		return URL{}, err
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		db, err := strconv.Atoi(path)
		if err != nil || db < 0 {
			return URL{}, errors.New("must end with the number of a database, or nothing, after the host")
		}
		out.DB, out.HasDB = db, true
	}
	return out, nil
}

// CheckAddr checks host:port.
func CheckAddr(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" || strings.ContainsAny(host, " /@") {
		return errors.New("must be host:port")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return errors.New("needs a port from 1 to 65535")
	}
	return nil
}
