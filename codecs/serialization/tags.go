package serialization

// What comes before each element of a stream, as
// java.io.ObjectStreamConstants names it.
const (
	magic = "\xac\xed\x00\x05" // with the version

	tcNull           = 0x70
	tcReference      = 0x71
	tcClassDesc      = 0x72
	tcObject         = 0x73
	tcString         = 0x74
	tcArray          = 0x75
	tcClass          = 0x76
	tcBlockData      = 0x77
	tcEndBlockData   = 0x78
	tcReset          = 0x79
	tcBlockDataLong  = 0x7a
	tcException      = 0x7b
	tcLongString     = 0x7c
	tcProxyClassDesc = 0x7d
	tcEnum           = 0x7e

	baseHandle = 0x7e0000
	blockSize  = 1024 // Java cuts its blocks here
)
