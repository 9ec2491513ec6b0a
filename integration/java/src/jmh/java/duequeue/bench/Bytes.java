package duequeue.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;

/** The payloads that Go's benchmarks have, too. */
final class Bytes {
    private Bytes() {
    }

    static byte[] of(String codec, String payload) throws IOException {
        Path path = Path.of(System.getProperty("duequeue.codecs"), codec, "testdata", "bench", payload + ".hex");
        return HexFormat.of().parseHex(Files.readString(path).strip());
    }

    /** Fails unless a codec writes the very bytes that are measured. */
    static void check(String what, byte[] got, byte[] want) {
        if (!Arrays.equals(got, want)) {
            throw new IllegalStateException(what + " writes other bytes than those in testdata");
        }
    }
}
