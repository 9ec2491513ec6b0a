package demo;

import java.io.Serializable;

/** A superclass with a type parameter that no field uses, as persistence libraries have them. */
public abstract class Active<T extends Active<?>> implements Serializable {
    private static final long serialVersionUID = 1L;
}
