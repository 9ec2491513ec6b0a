package org.redisson.misc;

import java.net.URI;

/**
 * Stands in for one class of Redisson 3.8.1, which rewrites Field.modifiers to
 * teach java.net.URI odd host names: impossible since JDK 12. Addresses such as
 * redis://127.0.0.1:6379 need no such help. It goes before the jar on the class
 * path, for 3.8.1 only.
 */
public final class URIBuilder {
    private URIBuilder() {
    }

    public static URI create(String uri) {
        return URI.create(uri);
    }

    public static void patchUriObject() {
        // Nothing to patch.
    }
}
