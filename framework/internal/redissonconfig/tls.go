package redissonconfig

import (
	"path"
	"regexp"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/config"
)

// tlsOn turns TLS on where the addresses say so.
func (r *reader) tlsOn(s *setting, on bool) {
	if _, nodes := r.out.fields["redis.addrs"]; on && nodes {
		r.set("redis.tls.enabled", s, "true")
	}
	for _, s := range r.settings {
		if !on && strings.HasPrefix(s.name, "ssl") && !s.null {
			s.verdict(Meaningless, "no address says rediss://, so there is no TLS")
		}
	}
}

// ssl decides about a setting of TLS, of a connection that has it. Stores of keys are files of
// Java's; it takes one command to make PEM of them.
func (r *reader) ssl(s *setting) {
	store := r.byName["sslTruststore"]
	truststore := store != nil && !store.null
	switch s.name {
	case "sslTruststore":
		fetch, file, pem := storeOf(s.text, "trust")
		s.blocks("stores of Java are not read here. "+fetch+"Write its certificates as PEM by: keytool -list -rfc -keystore %s > %s; then set redis.tls.ca_file: %s", quote(file), quote(pem), quote(pem))
	case "sslKeystore":
		fetch, file, pem := storeOf(s.text, "client")
		p12, key := strings.TrimSuffix(pem, ".pem")+".p12", strings.TrimSuffix(pem, ".pem")+".key"
		how := ""
		if !strings.HasSuffix(file, ".p12") && !strings.HasSuffix(file, ".pfx") {
			how = "keytool -importkeystore -srckeystore " + quote(file) + " -destkeystore " + quote(p12) + " -deststoretype PKCS12 && "
		} else {
			p12 = file
		}
		s.blocks("stores of Java are not read here. "+fetch+"Write certificate and key as PEM by: %sopenssl pkcs12 -in %s -clcerts -nokeys -out %s && openssl pkcs12 -in %s -nocerts -nodes -out %s; then set redis.tls.cert_file: %s and redis.tls.key_file: %s",
			how, quote(p12), quote(pem), quote(p12), quote(key), quote(pem), quote(key))
	case "sslTruststorePassword", "sslKeystorePassword":
		s.verdict(Meaningless, "the command that makes PEM of the store asks for it")
	case "sslKeystoreType":
		s.verdict(Meaningless, "keytool recognises the type of a store")
	case "sslProvider":
		s.verdict(Meaningless, "Go has TLS of its own")
	case "sslEnableEndpointIdentification":
		r.verification(s, map[string]string{"true": "STRICT", "false": "NONE"}[s.text], truststore)
	case "sslVerificationMode":
		r.verification(s, s.text, truststore)
	case "sslProtocols", "sslCiphers":
		s.verdict(Impossible, "both sides agree on TLS 1.2 or 1.3 with a safe cipher; nothing here restricts that further")
	default: // the factories
		s.blocks("it is an object of Java: set redis.tls.ca_file, cert_file and key_file to files in PEM")
	}
}

// verification is what Redisson checks of a certificate: with NONE nothing where there is no
// truststore, else the authority alone, as with CA_ONLY where there is one.
func (r *reader) verification(s *setting, mode string, truststore bool) {
	switch {
	case mode == "STRICT":
		s.verdict(Meaningless, "certificates are always checked so")
	case mode == "NONE" && !truststore:
		r.set("redis.tls.insecure_skip_verify", s, "true")
		s.note.Why = join(s.note.Why, "as in Java, any certificate is accepted: better set redis.tls.ca_file")
	default:
		s.blocks("a certificate's authority cannot be checked without its name: set redis.tls.server_name to a name that the certificate carries")
	}
}

// storeOf returns the file behind a URL of Java, and a name for what is made of it. One that
// has to be fetched first gets a name of our own: in a URL a password may stand anywhere.
func storeOf(text, name string) (fetch, file, pem string) {
	whole := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "file:"), "//"), "classpath:")
	file, _, _ = strings.Cut(whole, "?")
	switch ext := path.Ext(file); {
	case strings.Contains(whole, "://") && (ext == ".p12" || ext == ".pfx"):
		return "Download the store first. ", name + ext, name + ".pem"
	case strings.Contains(whole, "://"):
		return "Download the store first. ", name + ".jks", name + ".pem"
	case !strings.HasPrefix(file, "/"):
		file, _, _ = strings.Cut(hideStore(whole), "?")
	}
	if pem = name + ".pem"; path.Base(file) != "." && path.Base(file) != "/" {
		pem = strings.TrimSuffix(path.Base(file), path.Ext(file)) + ".pem"
	}
	return "", file, pem
}

// hideStore is config.HideURL, for which an @ ends the login: one that follows a ? may also be a
// part of a signature, so that nothing is shown.
func hideStore(text string) string {
	if at := strings.IndexAny(text, "?#"); at >= 0 && strings.LastIndexByte(text, '@') > at {
		return config.Hidden
	}
	return config.HideURL(text)
}

var plainWord = regexp.MustCompile(`^[\w./:@%+,-]+$`)

// quote quotes a word for a shell.
func quote(s string) string {
	if plainWord.MatchString(s) && !strings.HasPrefix(s, "-") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
