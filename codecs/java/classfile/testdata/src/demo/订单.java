package demo;

/** Names beyond ASCII, some beyond 16 bits. */
public class 订单 implements java.io.Serializable {
    String 编号;
    int ﬀ, 𠮷;
    void 𠮷() {}
    void ﬀ() {}
}
