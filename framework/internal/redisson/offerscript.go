package redisson

// offerScript adds one element; see lua/offer.lua.
var offerScript = embedded("offer", "clock", "types", "digest", "records", "trace")
