-- layout: where things stand in the records that are kept beside messages.
-- Constants: bytes from 1 on; a negative one counts from the end.

-- Due record: kind 1 | due ms %016d | written ms %016d | id 8; dashes where unknown.
local DUE_MS, DUE_MS_END = 2, 17
local DUE_WRITTEN, DUE_WRITTEN_END = 18, 33
local DUE_ID, DUE_ID_END = 34, 41
local DUE_BYTES = 41

-- Entry of the due list: due record | name of the payload, see due.
local ENTRY_NAME = 42

-- Trace record: due record | context 25 | expiry ms %016d.
local TRACE_CONTEXT, TRACE_CONTEXT_END = 42, 66
local TRACE_EXPIRY, TRACE_BEFORE_EXPIRY = -16, -17
local TRACE_BYTES = 82

-- Member of the traces: digest of the payload 40 | kind 1 | id 8 | due ms | written ms |
-- context | expiry ms.
local MEMBER_KIND = 41
local MEMBER_ID, MEMBER_ID_END = 42, 49
local MEMBER_DUE, MEMBER_DUE_END = 50, 65
local MEMBER_WRITTEN, MEMBER_WRITTEN_END = 66, 81
local MEMBER_CONTEXT = 82

-- Member of the index: digest 40 | 255 - failures 1 | field 9.
local INDEX_COUNT, INDEX_FIELD = 41, 42

-- Record of a message, behind the ';' of its counters: kept until | due | kind 1, due and id
-- 8 of its ID | first due | digest 40 | length of the key %04d | key | history; times in ms
-- of 16 digits.
local RECORD_KEPT, RECORD_KEPT_END = 1, 16
local RECORD_DUE, RECORD_DUE_END = 17, 32
local RECORD_KIND = 33
local RECORD_ORIGIN, RECORD_ORIGIN_END = 34, 49
local RECORD_ID, RECORD_ID_END = 50, 57
local RECORD_FIRST, RECORD_FIRST_END = 58, 73
local RECORD_DIGEST, RECORD_DIGEST_END = 74, 113
local RECORD_LENGTH, RECORD_LENGTH_END = 114, 117
local RECORD_KEY = 118

-- Record of a nonce, see nonce: 1 | due ms | due ms of its ID | id 8.
local NONCE_DUE, NONCE_DUE_END = 2, 17
local NONCE_ORIGIN, NONCE_ORIGIN_END = 18, 33
local NONCE_ID = 34

-- Header of a list in flight, see header: mark 1 | fetch %016d | slots %04d | taken ms
-- %016d | cancelled %04d | slots, cancelled indexes, traces.
local HEAD_FETCH, HEAD_FETCH_END = 2, 17
local HEAD_SLOTS, HEAD_SLOTS_END = 18, 21
local HEAD_TAKEN, HEAD_TAKEN_END = 22, 37
local HEAD_CANCELLED, HEAD_CANCELLED_END = 38, 41
local HEAD_BYTES = 41

-- Universal element: id 8 | length 8 | payload.
local ELEMENT_ID_END, ELEMENT_PAYLOAD = 8, 17
