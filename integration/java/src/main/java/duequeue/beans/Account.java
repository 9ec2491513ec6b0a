package duequeue.beans;

/** A bean as most are written: private fields, getters and setters, one of them named "is". */
public class Account extends Alike {
    private static final long serialVersionUID = 1L;

    private Long id;
    private String owner;
    private boolean active;

    public Long getId() {
        return id;
    }

    public void setId(Long id) {
        this.id = id;
    }

    public String getOwner() {
        return owner;
    }

    public void setOwner(String owner) {
        this.owner = owner;
    }

    public boolean isActive() {
        return active;
    }

    public void setActive(boolean active) {
        this.active = active;
    }
}
