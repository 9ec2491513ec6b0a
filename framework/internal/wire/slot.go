package wire

import "strings"

// Slots is the number of hash slots of a Redis Cluster.
const Slots = 16384

// crcTable is CRC16/XMODEM (polynomial 0x1021), the one Redis Cluster uses.
var crcTable = makeCRCTable()

func makeCRCTable() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	return table
}

// Slot returns the hash slot of key, from 0 to Slots-1. Only what stands between
// the first "{" and the first "}" after it is hashed, when that is not empty.
func Slot(key string) int {
	if open := strings.IndexByte(key, '{'); open >= 0 {
		if length := strings.IndexByte(key[open+1:], '}'); length > 0 {
			key = key[open+1 : open+1+length]
		}
	}
	return int(crc(0, key)) % Slots
}

// crc continues a checksum with text.
func crc(sum uint16, text string) uint16 {
	for i := range len(text) {
		sum = sum<<8 ^ crcTable[byte(sum>>8)^text[i]]
	}
	return sum
}
