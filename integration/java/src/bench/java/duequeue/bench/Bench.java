package duequeue.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.redisson.Redisson;

/**
 * Measures Redisson for the Go benchmark beside it: one command a line on
 * standard input, one answer a line on standard output, "ok TEXT" or "err TEXT".
 * One JVM serves all rounds, so that the compiler has long done its work.
 */
public final class Bench {
    private Serving serving;

    private Bench() {
    }

    public static void main(String[] args) throws Exception {
        // Whoever else prints must not disturb the answers.
        PrintStream answers = System.out;
        System.setOut(System.err);
        Bench bench = new Bench();
        answers.println("ok Redisson " + Redisson.class.getPackage().getImplementationVersion()
            + ", JDK " + Runtime.version());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = "ok " + bench.run(line.split(" "));
            } catch (Throwable thrown) {
                thrown.printStackTrace();
                answer = "err " + thrown.toString().replace('\n', ' ');
            }
            answers.println(answer);
        }
        Runtime.getRuntime().halt(0);
    }

    private String run(String[] a) throws Exception {
        switch (a[0]) {
            case "take": // URL QUEUE CODEC COUNT THREADS
                return Consuming.take(a[1], a[2], a[3], Integer.parseInt(a[4]), Integer.parseInt(a[5]));
            case "poll": // URL QUEUE CODEC COUNT BATCH
                return Consuming.poll(a[1], a[2], a[3], Integer.parseInt(a[4]), Integer.parseInt(a[5]));
            case "offer": // URL QUEUE COUNT BYTES THREADS
                return Offering.together(a[1], a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]), Integer.parseInt(a[5]));
            case "offer-async": // URL QUEUE COUNT BYTES IN-FLIGHT
                return Offering.async(a[1], a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]), Integer.parseInt(a[5]));
            case "serve": // URL QUEUE CLIENTS THREADS COUNT VIEW QUEUES
                serving = new Serving(a[1], a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]), Integer.parseInt(a[5]), Integer.parseInt(a[7]));
                return "";
            case "serve-start":
                serving.start();
                return "";
            case "serve-count":
                return String.valueOf(serving.count());
            case "serve-times":
                return serving.times();
            case "serve-stop":
                serving.stop();
                return "";
            default:
                throw new IllegalArgumentException("unknown command " + a[0]);
        }
    }
}
