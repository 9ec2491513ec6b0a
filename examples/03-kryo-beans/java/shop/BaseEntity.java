package shop;

import java.util.Date;

public class BaseEntity {
    protected Long id;
    protected Date createdAt;
}
