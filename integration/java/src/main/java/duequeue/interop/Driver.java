package duequeue.interop;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.Redisson;

/**
 * Serves commands from standard input until it ends: one JVM per Redisson
 * release answers all the tests of that release.
 *
 * <pre>
 * &gt; 7 offer q 1000 @hashmap5
 * &lt; 7 ok
 * &gt; 8 take q 2500
 * &lt; 8 err java.util.concurrent.TimeoutException "..."
 * </pre>
 *
 * Commands run at the same time, so answers may come in another order; the
 * leading number pairs them. See {@link Commands} for the verbs.
 */
public final class Driver {
    private final PrintStream out;
    private final Commands commands = new Commands();

    private Driver(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws Exception {
        // Whoever else prints must not disturb the protocol.
        PrintStream answers = System.out;
        System.setOut(System.err);
        Driver driver = new Driver(answers);
        driver.answer("0 ok redisson " + Redisson.class.getPackage().getImplementationVersion()
            + " java " + System.getProperty("java.version"));
        driver.serve(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)));
        // Client threads of old releases are no daemons.
        Runtime.getRuntime().halt(0);
    }

    private void serve(BufferedReader in) throws Exception {
        ExecutorService workers = Executors.newCachedThreadPool();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String command = line;
            workers.execute(() -> handle(command));
        }
    }

    private void handle(String line) {
        String[] parts = line.split(" ", 2);
        try {
            answer((parts[0] + " ok " + commands.run(parts[1])).stripTrailing());
        } catch (Throwable thrown) {
            Throwable cause = thrown instanceof ExecutionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            cause.printStackTrace();
            answer(parts[0] + " err " + cause.getClass().getName() + " " + Canon.quote(String.valueOf(cause.getMessage())));
        }
    }

    private synchronized void answer(String line) {
        out.println(line);
        out.flush();
    }
}
