// Package kryo5 reads and writes what Redisson's Kryo5Codec does (the default
// codec from Redisson 3.19.0 on), byte for byte, with references off and no
// allowed classes, which is how Redisson configures it unless told otherwise.
//
// It carries null, strings, the eight wrappers, byte[], and Java's own lists,
// sets and maps of those at any depth, BigInteger, BigDecimal, java.util.Date
// with its relatives in java.sql, and Instant, Duration, LocalDate, LocalTime and
// LocalDateTime. Everything else is an error that names the class: a bean has no
// length on the wire, so nothing after it could be read.
//
// Go types are carried as codecs/java describes: see java.Plan.
package kryo5
