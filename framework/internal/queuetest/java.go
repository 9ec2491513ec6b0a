package queuetest

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// The formats of elements, up to 3.21.0 and since 3.21.1.
const (
	FormatOld = "dLc0"
	FormatNew = "Bc0Lc0"
)

// JavaOffer is a script of RedissonDelayedQueue, as those below: as in the released jars;
// only the format differs. KEYS as Java passes them.
func JavaOffer(format, id string) *script.Script {
	return script.New("java offer", `
local value = struct.pack('`+format+`', `+id+`, string.len(ARGV[3]), ARGV[3])
redis.call('zadd', KEYS[2], ARGV[1], value)
redis.call('rpush', KEYS[3], value)
local v = redis.call('zrange', KEYS[2], 0, 0)
if v[1] == value then redis.call('publish', KEYS[4], ARGV[1]) end`)
}

// JavaTransfer moves what is due to the ready list.
func JavaTransfer(format string) *script.Script {
	return script.New("java transfer", `
local expiredValues = redis.call('zrangebyscore', KEYS[2], 0, ARGV[1], 'limit', 0, ARGV[2])
if #expiredValues > 0 then
  for i, v in ipairs(expiredValues) do
    local randomId, value = struct.unpack('`+format+`', v)
    redis.call('rpush', KEYS[1], value)
    redis.call('lrem', KEYS[3], 1, v)
  end
  redis.call('zrem', KEYS[2], unpack(expiredValues))
end
local v = redis.call('zrange', KEYS[2], 0, 0, 'WITHSCORES')
if v[1] ~= nil then return v[2] end
return nil`)
}

// JavaContains searches the pending list for a payload.
func JavaContains(format string) *script.Script {
	return script.New("java contains", `
local s = redis.call('llen', KEYS[1])
for i = 0, s - 1, 1 do
  local v = redis.call('lindex', KEYS[1], i)
  local randomId, value = struct.unpack('`+format+`', v)
  if ARGV[1] == value then return 1 end;
end
return 0`)
}

// JavaRemove takes a payload out of the pending ones.
func JavaRemove(format string) *script.Script {
	return script.New("java remove", `
local s = redis.call('llen', KEYS[1])
for i = 0, s - 1, 1 do
  local v = redis.call('lindex', KEYS[1], i)
  local randomId, value = struct.unpack('`+format+`', v)
  if ARGV[1] == value then
    redis.call('zrem', KEYS[2], v)
    redis.call('lrem', KEYS[1], 1, v)
    return 1
  end;
end
return 0`)
}

// JavaKeys returns the keys of a queue as Java passes them.
func JavaKeys(k wire.Keys) []string { return []string{k.Queue, k.Timeout, k.Pending, k.Channel} }

// JavaOld is an element as Java up to 3.21.0 writes it: struct.pack('dLc0', …).
func JavaOld(id int64, payload []byte) []byte {
	e := binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(id)))
	e = binary.LittleEndian.AppendUint64(e, uint64(len(payload)))
	return append(e, payload...)
}

// JavaNew is an element as Java since 3.21.1 writes it: struct.pack('Bc0Lc0', …).
func JavaNew(id, payload []byte) []byte {
	e := append([]byte{byte(len(id))}, id...)
	e = binary.LittleEndian.AppendUint64(e, uint64(len(payload)))
	return append(e, payload...)
}

// Unhex reads hex digits and spaces.
func Unhex(t testing.TB, text string) []byte {
	t.Helper()
	return Must[[]byte](t)(hex.DecodeString(strings.ReplaceAll(text, " ", "")))
}
