package smile

// The bytes of the format, as the specification of Smile and Jackson's releases
// 2.9.6 to 2.21.3 and 3.1.3 have them.

// The header: 3A 29 0A ":)\n", then the version in the upper four bits and flags.
const (
	headerText   = ":)\n"
	headerLength = 4

	flagNames  = 0x01 // names may be back references
	flagValues = 0x02 // so may short strings
	flagRaw    = 0x04 // there may be bytes as they are
)

// First bytes of values.
const (
	byteEmpty   = 0x20
	byteNull    = 0x21
	byteFalse   = 0x22
	byteTrue    = 0x23
	byteInt     = 0x24 // a zigzag number of 32 bits
	byteLong    = 0x25 // of 64 bits
	byteBig     = 0x26
	byteFloat   = 0x28
	byteDouble  = 0x29
	byteDecimal = 0x2A

	baseASCII = 0x40 // 40-7F: 1 to 64 bytes of ASCII
	baseUTF8  = 0x80 // 80-BF: 2 to 65 bytes of UTF-8
	baseSmall = 0xC0 // C0-DF: -16 to 15

	byteLongASCII = 0xE0
	byteLongUTF8  = 0xE4
	byteBinary    = 0xE8 // of seven bits each
	baseFarValue  = 0xEC // EC-EF: a back reference of ten bits
	byteArray     = 0xF8
	byteEndArray  = 0xF9
	byteObject    = 0xFA
	byteEndObject = 0xFB
	byteEndText   = 0xFC // ends E0, E4 and 34
	byteRaw       = 0xFD
	byteEnd       = 0xFF
	lastNearValue = 0x1F // 01-1F: a back reference to one of the first 31 strings
)

// First bytes of names; 20 and FB are as above.
const (
	baseFarName   = 0x30 // 30-33: a back reference of ten bits
	byteLongName  = 0x34
	baseNearName  = 0x40 // 40-7F: to one of the first 64 names
	baseASCIIName = 0x80 // 80-BF: 1 to 64 bytes of ASCII
	baseUTF8Name  = 0xC0 // C0-F7: 2 to 57 bytes of UTF-8
	lastUTF8Name  = 0xF7
)

const (
	// maxShared is the size of both tables; at the entry after it they begin anew.
	maxShared = 1024
	// maxShortText is the longest string that Jackson writes with its length. (It
	// reads 65 bytes of UTF-8 so.)
	maxShortText = 64
	// maxShortUTF8Name is the longest name with other characters than ASCII that
	// Jackson writes with its length.
	maxShortUTF8Name = 56
	// maxLongASCII is the longest string that Jackson looks through before it
	// writes it: three times as many bytes and two have to fit its buffer of 8,000.
	// Longer ones are E4 even if they are ASCII.
	maxLongASCII = 2666
	// maxNumberBytes bounds BigInteger and BigDecimal, as Jackson does since 2.15.
	maxNumberBytes = 1000
)

// zigzag moves the sign of n to the lowest bit.
func zigzag(n int64) uint64 { return uint64(n)<<1 ^ uint64(n>>63) }

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
