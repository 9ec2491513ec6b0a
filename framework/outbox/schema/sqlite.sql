CREATE TABLE IF NOT EXISTS "duequeue_outbox" (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  nonce       VARCHAR(64) NOT NULL,
  op          VARCHAR(16) NOT NULL,
  queue       VARCHAR(255) NOT NULL,
  message_key BLOB,
  policy      VARCHAR(16) NOT NULL,
  window_ms   BIGINT NOT NULL,
  payload     BLOB NOT NULL,
  delay_ms    BIGINT,
  due_ms      BIGINT,
  trace       VARCHAR(64) NOT NULL,
  created_ms  BIGINT NOT NULL,
  attempts    BIGINT NOT NULL DEFAULT 0,
  retry_ms    BIGINT NOT NULL DEFAULT 0,
  aside_ms    BIGINT NOT NULL DEFAULT 0,
  error       TEXT
);
CREATE INDEX IF NOT EXISTS "duequeue_outbox_claim" ON "duequeue_outbox" (queue, aside_ms, id);
CREATE INDEX IF NOT EXISTS "duequeue_outbox_next" ON "duequeue_outbox" (aside_ms, id);
CREATE INDEX IF NOT EXISTS "duequeue_outbox_keys" ON "duequeue_outbox" (message_key, queue, id);
