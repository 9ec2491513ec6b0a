package outbox

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/handlers/sqldb"
)

// clock returns the expression for the time of the database in ms. What is written is rounded
// up and what is read down, so that no delay becomes shorter.
func (b *Box) clock(up bool) string {
	round := "FLOOR"
	if up {
		round = "CEILING"
	}
	switch b.dialect {
	case sqldb.MySQL: // not UNIX_TIMESTAMP(NOW()), which is ambiguous when summer time ends
		return round + "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) / 1000)"
	case sqldb.SQLite: // of its own it has whole ms
		if up {
			return "CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER) + 1"
		}
		return "CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER)"
	default:
		return round + "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"
	}
}

// insert adds a row, and notifies where that is wanted: in one statement.
func (b *Box) insert() string {
	const given = 10
	add := fmt.Sprintf("INSERT INTO %s (nonce, op, queue, message_key, policy, window_ms, payload, delay_ms, due_ms, trace, created_ms) VALUES (%s, %s)",
		b.dialect.Quote(b.table), b.dialect.Marks(1, given), b.clock(true))
	if b.channel == "" {
		return add
	}
	return fmt.Sprintf("WITH added AS (%s RETURNING id) SELECT pg_notify(%s, '') FROM added", add, b.dialect.Marks(given+1, 1))
}

// txn is a transaction of a relay.
type txn interface {
	Execer
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	commit(ctx context.Context) error
	rollback(ctx context.Context) // does nothing after a commit
}

// begin begins a transaction that reads what is committed. In MySQL's default isolation the
// locks of a claim would hold up those who write rows.
func (b *Box) begin(ctx context.Context, db *sql.DB) (txn, error) {
	if b.dialect == sqldb.SQLite {
		return beginImmediate(ctx, db)
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	return plainTx{tx}, err
}

type plainTx struct{ *sql.Tx }

func (t plainTx) commit(context.Context) error { return t.Commit() }
func (t plainTx) rollback(context.Context)     { _ = t.Rollback() }

// immediateTx is one of SQLite that holds the lock for writes from its beginning: it has no
// locks of rows, and one that reads first may find at its first write that it is too late.
type immediateTx struct {
	*sql.Conn

	open bool
}

func beginImmediate(ctx context.Context, db *sql.DB) (txn, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	tx := &immediateTx{Conn: conn, open: true}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); sqldb.SQLite.Busy(err) {
		return nil, errors.Join(err, conn.Close())
	} else if err != nil {
		tx.rollback(ctx) // a driver may begin it and say that ctx has ended
		return nil, err
	}
	return tx, nil
}

func (t *immediateTx) commit(ctx context.Context) error {
	_, err := t.ExecContext(ctx, "COMMIT")
	if err == nil {
		t.open = false
		err = t.Close()
	}
	return err
}

func (t *immediateTx) rollback(ctx context.Context) {
	if !t.open {
		return
	}
	t.open = false
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if _, err := t.ExecContext(ctx, "ROLLBACK"); err != nil {
		// Nobody may get a connection with an open transaction.
		_ = t.Raw(func(any) error { return driver.ErrBadConn })
	}
	_ = t.Close()
}

// querier asks a database, also within a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// wants is what a relay looks for in a queue: rows whose id is from or above.
type wants struct {
	queue string
	from  int64
}

// ofQueue returns FROM, WHERE and ORDER BY for the rows of one queue that are to be sent; the queue and
// the lowest id are the arguments from n on. With stale statistics a planner would read the rows of
// all queues by the primary key, so the statement names the index. PostgreSQL has no such hint: it
// gets an order that only this index has.
func (b *Box) ofQueue(n int) (from, where, order string) {
	d, name := b.dialect, b.dialect.Quote(b.table)
	index := b.index(claimIndex)
	where = fmt.Sprintf("o.queue = %s AND o.aside_ms = 0 AND o.id >= %s", d.Marks(n, 1), d.Marks(n+1, 1))
	order = "o.id"
	switch d {
	case sqldb.MySQL:
		from = name + " o FORCE INDEX (" + index + ")"
	case sqldb.SQLite:
		from = name + " AS o INDEXED BY " + index
	case sqldb.Postgres:
		from = name + " o"
		where = fmt.Sprintf("(o.queue, o.aside_ms, o.id) >= ($%d, 0, $%d) AND (o.queue, o.aside_ms, o.id) <= ($%[1]d, 0, 9223372036854775807)", n, n+1)
		order = "o.queue, o.aside_ms, o.id"
	}
	return from, where, order
}

// due is what holds of rows that do not wait for another try.
func (b *Box) due() string { return " AND o.retry_ms <= " + b.clock(false) }

// look returns those of the queues in which a claim may find rows.
func (b *Box) look(ctx context.Context, in querier, queues []wants) ([]wants, error) {
	asked, args := make([]string, len(queues)), make([]any, 0, 2*len(queues))
	for i, q := range queues {
		from, where, order := b.ofQueue(2*i + 1)
		asked[i] = fmt.Sprintf("(SELECT o.id FROM %s WHERE %s ORDER BY %s LIMIT 1)", from, where+b.due(), order)
		args = append(args, q.queue, q.from)
	}
	first, into := make([]sql.NullInt64, len(queues)), make([]any, len(queues))
	for i := range first {
		into[i] = &first[i]
	}
	rows, err := in.QueryContext(ctx, "SELECT "+strings.Join(asked, ", "), args...)
	if err != nil {
		return nil, err
	}
	if rows.Next() {
		err = rows.Scan(into...)
	}
	if err = errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	var some []wants
	for i, q := range queues {
		if first[i].Valid {
			some = append(some, q)
		}
	}
	return some, nil
}

// forbidSort makes PostgreSQL read in the order of an index for the rest of the transaction.
func (b *Box) forbidSort(ctx context.Context, tx Execer) error {
	if b.dialect != sqldb.Postgres {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SET LOCAL enable_sort = off")
	return err
}

// maxClaimBytes bounds what the rows of a claim hold in memory, give or take one.
const maxClaimBytes = 8 << 20

// claimed are rows that no other relay has.
type claimed struct {
	rows  []row
	bytes int   // of rows
	now   int64 // the time of the database
	next  int64 // where there are more rows of the queue, an id before which there are none any more
}

// earlier returns the query for an earlier row of the key of o: its id, or NULL. Not EXISTS: MariaDB
// would read the whole table for that, once for all rows. The sum and the name of the index let no
// database take the index of claims, by which it would read all rows of the queue.
func (b *Box) earlier() string {
	from := b.dialect.Quote(b.table) + " p"
	if b.dialect == sqldb.MySQL {
		from += " FORCE INDEX (" + b.index(keyIndex) + ")"
	}
	return "(SELECT p.id FROM " + from + " WHERE p.queue = o.queue AND p.message_key = o.message_key AND p.id < o.id AND p.aside_ms + 0 = 0 LIMIT 1)"
}

// The indexes of the table. claimIndex has the rows of each queue that are to be sent, in the order of
// their ids: only by it does the cost of a claim not depend on the rows of other queues.
const (
	claimIndex = "_claim"
	keyIndex   = "_keys"
)

// index returns the quoted name of an index.
func (b *Box) index(suffix string) string {
	return b.dialect.Quote(b.table[strings.LastIndexByte(b.table, '.')+1:] + suffix)
}

// claim locks rows of a queue that nobody has locked, at most limit of them, in the order of their ids. Of
// each key it takes the first row alone: until that is deleted, the others are not to be sent.
// However many rows there are it reads the first ones of the queue alone, and asks for earlier rows of
// their keys one by one.
func (b *Box) claim(ctx context.Context, tx txn, of wants, limit, maxBytes int) (claimed, error) {
	d := b.dialect
	from, where, order := b.ofQueue(1)
	query := fmt.Sprintf("SELECT %s, %s FROM %s WHERE %s AND (o.message_key IS NULL OR %s IS NULL) ORDER BY %s LIMIT %d",
		columns, b.clock(false), from, where+b.due(), b.earlier(), order, limit)
	if d != sqldb.SQLite {
		query += " FOR UPDATE SKIP LOCKED"
	}
	rows, err := tx.QueryContext(ctx, query, of.queue, of.from)
	if err != nil {
		return claimed{}, err
	}
	var c claimed
	bytes := 0
	for bytes < maxBytes && rows.Next() {
		var r row
		if err = rows.Scan(append(r.fields(), &c.now)...); err != nil {
			return claimed{}, errors.Join(err, rows.Close())
		}
		bytes += r.size()
		c.rows = append(c.rows, r)
	}
	err = errors.Join(rows.Err(), rows.Close())
	if c.bytes = bytes; len(c.rows) == limit || bytes >= maxBytes {
		c.next = c.rows[0].id
	}
	if err == nil && d == sqldb.MySQL && len(c.rows) > 0 {
		err = b.dropLater(ctx, tx, &c)
	}
	return c, err
}

// Where very many rows of a queue cannot be sent yet, they are read once and passed over for a while.
const (
	fewWaiting  = 1000    // are read again each time
	mostWaiting = 100_000 // are read by one statement
)

// waiting are the first rows of a queue where none of them can be sent yet: they wait for another try, or
// an earlier row of their key does.
type waiting struct {
	next int64         // the id behind them; 0 where there are few
	wait time.Duration // until the first of them may be tried again
}

// waiting looks at the rows of a queue in front of one.
func (b *Box) waiting(ctx context.Context, in querier, of wants, before int64) (w waiting, err error) {
	from, where, order := b.ofQueue(1)
	where += " AND o.id < " + b.dialect.Marks(3, 1)
	args := []any{of.queue, of.from, before}
	many, err := in.QueryContext(ctx, fmt.Sprintf("SELECT o.id FROM %s WHERE %s ORDER BY %s LIMIT 1 OFFSET %d", from, where, order, fewWaiting), args...)
	if err != nil {
		return w, err
	}
	ids, err := sqldb.Column[int64](many)
	if err != nil || len(ids) == 0 {
		return w, err
	}
	rows, err := in.QueryContext(ctx, fmt.Sprintf(`SELECT MIN(s.first_free), MIN(s.again_ms), MAX(s.id), %[1]s FROM (SELECT o.id,
  CASE WHEN o.retry_ms <= %[1]s AND (o.message_key IS NULL OR %[2]s IS NULL) THEN o.id END AS first_free,
  CASE WHEN o.retry_ms > %[1]s THEN o.retry_ms END AS again_ms
  FROM %[3]s WHERE %[4]s ORDER BY %[5]s LIMIT %[6]d) s`, b.clock(false), b.earlier(), from, where, order, mostWaiting), args...)
	if err != nil {
		return w, err
	}
	var free, again, last sql.NullInt64
	var now int64
	if rows.Next() {
		err = rows.Scan(&free, &again, &last, &now)
	}
	if err = errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return w, err
	}
	if w.next = last.Int64 + 1; free.Valid { // another relay sends it, or it came meanwhile
		w.next = free.Int64
	}
	w.wait = retryMost
	if again.Valid {
		w.wait = time.Duration(max(again.Int64-now, 0)) * time.Millisecond
	}
	return w, nil
}

// dropLater takes those rows out of a claim that have an earlier one of their key after all.
// MySQL reads the rows that it locks as they are now, and those of a subquery as they were when
// the statement began: rows that were committed meanwhile look like the first ones. What is
// read now is newer than all of them.
func (b *Box) dropLater(ctx context.Context, tx txn, c *claimed) error {
	ids := make([]int64, len(c.rows))
	for i := range c.rows {
		ids[i] = c.rows[i].id
	}
	name := b.dialect.Quote(b.table)
	rows, err := tx.QueryContext(ctx, fmt.Sprintf("SELECT o.id FROM %s o WHERE o.id IN (%s) AND o.message_key IS NOT NULL AND %s IS NOT NULL", name, b.dialect.Marks(1, len(ids)), b.earlier()), sqldb.Args(ids)...)
	if err != nil {
		return err
	}
	later, err := sqldb.Column[int64](rows)
	c.rows = slices.DeleteFunc(c.rows, func(r row) bool { return slices.Contains(later, r.id) })
	return err
}

// remove deletes rows.
func (b *Box) remove(ctx context.Context, tx Execer, ids []int64) error {
	d, name := b.dialect, b.dialect.Quote(b.table)
	query := fmt.Sprintf("DELETE FROM %s WHERE id IN (%s)", name, d.Marks(1, len(ids)))
	if d == sqldb.MySQL {
		// Looked up one by one: of a short table it would read all rows instead, and wait for
		// those that other relays have locked, as they for ours.
		query = fmt.Sprintf("DELETE o FROM (SELECT ? AS id%s) ids STRAIGHT_JOIN %s o ON o.id = ids.id", strings.Repeat(" UNION ALL SELECT ?", len(ids)-1), name)
	}
	_, err := tx.ExecContext(ctx, query, sqldb.Args(ids)...)
	return err
}

// postpone lets a row that failed wait.
func (b *Box) postpone(ctx context.Context, tx Execer, r *row, wait time.Duration, cause error) error {
	d := b.dialect
	_, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET attempts = attempts + 1, retry_ms = %s + %s, error = %s WHERE id = %s",
		d.Quote(b.table), b.clock(true), d.Marks(1, 1), d.Marks(2, 1), d.Marks(3, 1)), wait.Milliseconds(), errorText(cause), r.id)
	return err
}

// setAside takes a row out of what is sent.
func (b *Box) setAside(ctx context.Context, tx Execer, r *row, cause error) error {
	d := b.dialect
	_, err := tx.ExecContext(ctx, fmt.Sprintf("UPDATE %s SET attempts = attempts + 1, aside_ms = %s, error = %s WHERE id = %s",
		d.Quote(b.table), b.clock(true), d.Marks(1, 1), d.Marks(2, 1)), errorText(cause), r.id)
	return err
}

// errorText is what is kept of an error: text that every database takes.
func errorText(err error) string {
	const most = 2000
	text := strings.ToValidUTF8(strings.ReplaceAll(err.Error(), "\x00", ""), "�")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
