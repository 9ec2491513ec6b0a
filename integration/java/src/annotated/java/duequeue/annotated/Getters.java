package duequeue.annotated;

import com.alibaba.fastjson.annotation.JSONField;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Private fields behind getters, as JSON in a String has them. */
public class Getters extends Versioned {
    private boolean isPaid;
    private String URL;
    private String eTag;
    private Boolean isNew;
    @JsonProperty("order_no")
    @JSONField(name = "order_no")
    private String orderNo;
    @JsonSerialize(using = ToStringSerializer.class)
    private Long userId;
    private Date at;
    @JsonFormat(pattern = "yyyy-MM-dd HH:mm:ss", timezone = "UTC")
    @JSONField(format = "yyyy-MM-dd HH:mm:ss")
    private Date day;
    private BigDecimal amount;
    private Code code;
    private Grade grade;
    private List<Code> codes;
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private String remark;
    @JsonIgnore
    @JSONField(serialize = false)
    private String secret;
    private Map<String, Long> counts;
    private UUID id;
    private char mark;
    private byte[] bytes;
    private transient String skipped = "skipped";

    @JsonIgnore
    public String getSkipped() {
        return skipped;
    }

    public boolean isPaid() {
        return isPaid;
    }

    public void setPaid(boolean isPaid) {
        this.isPaid = isPaid;
    }

    public String getURL() {
        return URL;
    }

    public void setURL(String URL) {
        this.URL = URL;
    }

    public String getETag() {
        return eTag;
    }

    public void setETag(String eTag) {
        this.eTag = eTag;
    }

    public Boolean getIsNew() {
        return isNew;
    }

    public void setIsNew(Boolean isNew) {
        this.isNew = isNew;
    }

    public String getOrderNo() {
        return orderNo;
    }

    public void setOrderNo(String orderNo) {
        this.orderNo = orderNo;
    }

    public Long getUserId() {
        return userId;
    }

    public void setUserId(Long userId) {
        this.userId = userId;
    }

    public Date getAt() {
        return at;
    }

    public void setAt(Date at) {
        this.at = at;
    }

    public Date getDay() {
        return day;
    }

    public void setDay(Date day) {
        this.day = day;
    }

    public BigDecimal getAmount() {
        return amount;
    }

    public void setAmount(BigDecimal amount) {
        this.amount = amount;
    }

    public Code getCode() {
        return code;
    }

    public void setCode(Code code) {
        this.code = code;
    }

    public Grade getGrade() {
        return grade;
    }

    public void setGrade(Grade grade) {
        this.grade = grade;
    }

    public List<Code> getCodes() {
        return codes;
    }

    public void setCodes(List<Code> codes) {
        this.codes = codes;
    }

    public String getRemark() {
        return remark;
    }

    public void setRemark(String remark) {
        this.remark = remark;
    }

    public String getSecret() {
        return secret;
    }

    public void setSecret(String secret) {
        this.secret = secret;
    }

    public Map<String, Long> getCounts() {
        return counts;
    }

    public void setCounts(Map<String, Long> counts) {
        this.counts = counts;
    }

    public UUID getId() {
        return id;
    }

    public void setId(UUID id) {
        this.id = id;
    }

    public char getMark() {
        return mark;
    }

    public void setMark(char mark) {
        this.mark = mark;
    }

    public byte[] getBytes() {
        return bytes;
    }

    public void setBytes(byte[] bytes) {
        this.bytes = bytes;
    }

    private List<Object> all() {
        return Arrays.asList(isPaid, URL, eTag, isNew, orderNo, userId, at, day, amount, code, grade, codes, remark, counts, id, mark, getVersion(), Arrays.toString(bytes));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Getters && all().equals(((Getters) other).all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }
}
