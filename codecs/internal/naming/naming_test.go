package naming

import "testing"

// What Jackson 2.19 makes of these names.
func TestStrategies(t *testing.T) {
	t.Parallel()
	for strategy, names := range map[string]map[string]string{
		"SNAKE_CASE":       {"orderID": "order_id", "userURLPath": "user_urlpath", "_id": "id", "_": "_", "a1B": "a1_b", "ETag": "etag", "x_Y": "x_y"},
		"UPPER_SNAKE_CASE": {"orderID": "ORDER_ID"},
		"KEBAB_CASE":       {"orderID": "order-id", "userURLPath": "user-url-path", "URLPath": "url-path", "aB": "a-b", "X": "x"},
		"LOWER_DOT_CASE":   {"userURLPath": "user.url.path"},
		"UPPER_CAMEL_CASE": {"orderId": "OrderId", "": ""},
		"LOWER_CASE":       {"orderID": "orderid"},
	} {
		for name, want := range names {
			if got := Strategies[strategy](name); got != want {
				t.Errorf("%s: %s becomes %s, want %s", strategy, name, got, want)
			}
		}
	}
}
