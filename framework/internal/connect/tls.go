package connect

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// TLS describes an encrypted connection, as framework.TLSConfig does.
type TLS struct {
	Enabled                               bool
	CAFile, CertFile, KeyFile, ServerName string
	InsecureSkipVerify                    bool
}

// Build reads the files and returns the client's TLS settings, or every mistake.
func (t TLS) Build() (*tls.Config, fault.ConfigErrors) {
	var errs fault.ConfigErrors
	wrong := func(field, file, reason string, err error) {
		errs = append(errs, &fault.ConfigError{Field: "redis.tls." + field, Value: file, Reason: reason, Err: err})
	}
	out := &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: t.ServerName,
		InsecureSkipVerify: t.InsecureSkipVerify, // the operator's explicit wish
	}
	if t.CAFile != "" {
		pem, err := config.ReadFile(t.CAFile)
		out.RootCAs = x509.NewCertPool()
		if err != nil {
			wrong("ca_file", t.CAFile, "cannot be read", err)
		} else if !out.RootCAs.AppendCertsFromPEM(pem) {
			wrong("ca_file", t.CAFile, "holds no certificate in PEM", nil)
		}
	}
	switch {
	case t.CertFile != "" && t.KeyFile == "":
		wrong("key_file", "", "is needed with redis.tls.cert_file", nil)
	case t.CertFile == "" && t.KeyFile != "":
		wrong("cert_file", "", "is needed with redis.tls.key_file", nil)
	case t.CertFile != "":
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			wrong("cert_file", t.CertFile, "is no pair with redis.tls.key_file "+t.KeyFile, err)
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, errs
}
