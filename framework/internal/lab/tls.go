package lab

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// TLSFiles are PEM files.
type TLSFiles struct {
	CA   string // the authority that signed both the server's and the client's certificate
	Cert string // the client's certificate
	Key  string // the client's key
}

// TLSAddr is the address for encrypted connections, or "" without the option TLS.
func (s *Server) TLSAddr() string {
	if s.tls == nil {
		return ""
	}
	return s.tls.Addr()
}

// TLSFiles are the files that a client needs for TLSAddr.
func (s *Server) TLSFiles() TLSFiles {
	return TLSFiles{
		CA: filepath.Join(s.dir, "ca.crt"), Cert: filepath.Join(s.dir, "client.crt"), Key: filepath.Join(s.dir, "client.key"),
	}
}

// serveTLS writes the files and begins to listen.
func (s *Server) serveTLS() error {
	if !s.set.tls {
		return nil
	}
	if err := s.writeCertificates(); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(s.dir, "server.crt"), filepath.Join(s.dir, "server.key"))
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(s.TLSFiles().CA)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	listener, err := tls.Listen("tcp", loopback(0), &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair},
		ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	})
	if err != nil {
		return err
	}
	s.tls = RunProxy(listener, s.Addr(), nil)
	return nil
}

// writeCertificates makes an authority and the certificates of server and client.
func (s *Server) writeCertificates() error {
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "duequeue test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caKey, err := s.writePair("ca", ca, ca, nil)
	if err != nil {
		return err
	}
	for i, name := range []string{"server", "client"} {
		leaf := &x509.Certificate{
			SerialNumber: big.NewInt(int64(i + 2)), Subject: pkix.Name{CommonName: name},
			NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		}
		if _, err := s.writePair(name, leaf, ca, caKey); err != nil {
			return err
		}
	}
	return nil
}

// writePair makes a key, signs its certificate by the parent (by itself without a
// parent's key) and writes both.
func (s *Server) writePair(name string, cert, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if parentKey == nil {
		parentKey = key
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, fmt.Errorf("certificate for %s: %w", name, err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if err = s.writePEM(name+".crt", "CERTIFICATE", der); err != nil {
		return nil, err
	}
	return key, s.writePEM(name+".key", "PRIVATE KEY", keyDER)
}

func (s *Server) writePEM(file, kind string, der []byte) error {
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	return os.WriteFile(filepath.Join(s.dir, file), block, 0o600)
}
