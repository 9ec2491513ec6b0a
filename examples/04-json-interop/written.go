package main

// What java/shop/Write.java printed on Redisson 4.7.0, and once on 4.1.0: one order by
// three codecs, and one notice.
const (
	jsonOrder = `{"@class":"shop.Order","created":["java.util.Date",1700000000123],"customerId":["java.lang.Long",42],"id":100,"items":["java.util.ArrayList",[{"@class":"shop.Item","price":["java.math.BigDecimal",12.50],"quantity":2,"sku":"tea"}]],"parcels":["java.util.ArrayList",[["java.util.ArrayList",[["java.lang.Long",1],["java.lang.Long",2]]]]],"requestId":["java.util.UUID","0190a6e4-5b1c-7c3e-9f00-2d6c8a1b3e57"],"status":"NEW"}`

	// Redisson 4.1.0 wrote the same but for the UUID.
	jsonOrder41 = `{"@class":"shop.Order","created":["java.util.Date",1700000000123],"customerId":["java.lang.Long",42],"id":100,"items":["java.util.ArrayList",[{"@class":"shop.Item","price":["java.math.BigDecimal",12.50],"quantity":2,"sku":"tea"}]],"parcels":["java.util.ArrayList",[["java.util.ArrayList",[["java.lang.Long",1],["java.lang.Long",2]]]]],"requestId":"0190a6e4-5b1c-7c3e-9f00-2d6c8a1b3e57","status":"NEW"}`

	typedOrder = `{"created":1700000000123,"customerId":42,"id":100,"items":[{"price":12.50,"quantity":2,"sku":"tea"}],"parcels":[[1,2]],"requestId":"0190a6e4-5b1c-7c3e-9f00-2d6c8a1b3e57","status":"NEW"}`

	lz4KryoOrder = "00000082f619010073686f702e4f726465f201016a6176612e7574696c2e446174e5fbd095ffbc310154c80101021a00c141727261794c6973f48201033c0071497465ed0001042200f0246d6174682e426967446563696d61ec0304e204047465e180010282010200030204013e7c1c5be4a69001573e1b8a6c2d009f01" // hex

	notice = `{"orderNo":"A-100","customerId":42,"channels":["app","mail"]}`
)
