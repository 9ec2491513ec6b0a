package shop;

import java.util.List;

public record Notice(String orderNo, long customerId, List<String> channels) {
}
