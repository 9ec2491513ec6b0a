package errtext

import "testing"

func TestRedacted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"dial tcp 10.0.0.7:5432: refused":                      "dial tcp 10.0.0.7:5432: refused",
		"cannot open postgres://app:s3cret@db:5432/orders":     "cannot open postgres://***@db:5432/orders",
		`user=app password=s3cret host=db`:                     `user=app password=*** host=db`,
		`{"token": "abc.def", "id": 7}`:                        `{"token": ***, "id": 7}`,
		"client_secret=abc DB_PASSWORD=hunter2":                "client_secret=*** DB_PASSWORD=***",
		`{"accessToken":"x"}`:                                  `{"accessToken":***}`,
		"Authorization: Basic dXNlcjpw":                        "Authorization: ***",
		"redis://:pa/ss@h: refused":                            "redis://***@h: refused",
		"postgres://a:p@ss@h":                                  "postgres://***@h",
		"app:pw@tcp(db:3306)/orders":                           "***@tcp(db:3306)/orders",
		"password='a b' host=h":                                "password=*** host=h",
		"GET /x?api_key=abc&n=1: 401; Authorization: Bearer x": "GET /x?api_key=***&n=1: 401; Authorization: ***",
		"a password is missing":                                "a password is missing",
	} {
		if got := Redacted(text); got != want {
			t.Errorf("%q\n is %q\nnot %q", text, got, want)
		}
	}
}
