package lease

import "io"

// buffer collects one reply. The bodies of a batch stay in it, so each take makes a new
// one, of the size that the last reply needed.
type buffer struct{ data []byte }

func newBuffer(size int) *buffer { return &buffer{data: make([]byte, 0, size)} }

func (b *buffer) Write(p []byte) (int, error) {
	b.data = append(b.data, p...)
	return len(p), nil
}

// ReadFrom lets io.CopyN read a body right into the buffer, with no copy between.
func (b *buffer) ReadFrom(r io.Reader) (int64, error) {
	limited, ok := r.(*io.LimitedReader)
	if !ok {
		return io.Copy(struct{ io.Writer }{b}, r)
	}
	at, n := len(b.data), int(limited.N)
	for cap(b.data) < at+n {
		b.data = append(b.data[:cap(b.data)], 0)
	}
	b.data = b.data[:at+n]
	read, err := io.ReadFull(limited.R, b.data[at:])
	b.data = b.data[:at+read]
	limited.N -= int64(read)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = io.ErrUnexpectedEOF
	}
	return int64(read), err
}
