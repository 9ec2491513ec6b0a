package duequeue.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.redisson.Redisson;

/**
 * Measures Redisson for the Go benchmark beside it: one command a line on
 * standard input, one answer a line on standard output, "ok TEXT" or "err TEXT".
 * One JVM serves all rounds, so that the compiler has long done its work.
 */
public final class Bench {
    private Lateness lateness;
    private Serving serving;
    private Mixed mixed;
    private final List<Idle> idle = new ArrayList<>();

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
            case "offer": // URL QUEUE COUNT BYTES
                return Offering.offer(a[1], a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]));
            case "offer-together": // URL QUEUE COUNT BYTES THREADS
                return Offering.together(a[1], a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]), Integer.parseInt(a[5]));
            case "late": // URL QUEUE COUNT RATE LEAD-MS BYTES
                lateness = new Lateness(a[1], a[2], Integer.parseInt(a[3]));
                lateness.offer(Integer.parseInt(a[4]), Integer.parseInt(a[5]), Integer.parseInt(a[6]));
                return "";
            case "late-await": // SECONDS
                return lateness.await(Integer.parseInt(a[1]));
            case "late-stop":
                lateness.stop();
                return "";
            case "idle": // URL QUEUES
                idle.add(new Idle(a[1], Integer.parseInt(a[2])));
                return "";
            case "offer-async": // URL QUEUE COUNT BYTES IN-FLIGHT DELAY-MS SPREAD-MS
                return Seeding.offer(a[1], a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]), Integer.parseInt(a[5]),
                    Long.parseLong(a[6]), Long.parseLong(a[7]));
            case "serve": // URL QUEUE CLIENTS THREADS COUNT
                serving = new Serving(a[1], a[2], Integer.parseInt(a[3]), Integer.parseInt(a[4]), Integer.parseInt(a[5]));
                return "";
            case "serve-start":
                return serving.start();
            case "serve-await": // SECONDS
                return serving.await(Integer.parseInt(a[1]));
            case "serve-stop":
                serving.stop();
                return "";
            case "push": // HOW URL QUEUE,… COUNT GAP-MS
                List<String> names = Arrays.asList(a[3].split(","));
                if (a[1].equals("add")) {
                    Pushing.add(a[2], names, Integer.parseInt(a[4]), Integer.parseInt(a[5]));
                } else {
                    Pushing.offer(a[2], names, Integer.parseInt(a[4]), Integer.parseInt(a[5]));
                }
                return "";
            case "mixed": // URL QUEUE@RANK,… (to offer to) QUEUE@RANK,… (to take from)
                mixed = new Mixed(a[1], a[2], a[3]);
                return "";
            case "mixed-offer": // PHASE RATE SECONDS
                return mixed.offer(Integer.parseInt(a[1]), Integer.parseInt(a[2]), Integer.parseInt(a[3]));
            case "mixed-taken":
                return mixed.taken();
            case "mixed-stop":
                mixed.stop();
                return "";
            default:
                throw new IllegalArgumentException("unknown command " + a[0]);
        }
    }
}
