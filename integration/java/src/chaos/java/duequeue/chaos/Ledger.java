package duequeue.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The ledger, see ledger.go. It speaks to its Redis by itself, so that no release of Redisson matters. */
final class Ledger {
    private final String key;
    private final String process;
    private final OutputStream out;
    private final BufferedReader in;

    Ledger(String address, String key, String process) throws IOException {
        this.key = key;
        this.process = process;
        int colon = address.lastIndexOf(':');
        Socket socket = new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        socket.setTcpNoDelay(true);
        out = socket.getOutputStream();
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Writes one entry and returns when it stands. Without its ledger a process is worth nothing: it ends. */
    synchronized void note(char kind, String id, Object rest) {
        String text = kind + " " + id + " " + process + " " + rest;
        StringBuilder command = new StringBuilder("*5\r\n");
        for (String part : new String[] {"XADD", key, "*", "e", text}) {
            command.append('$').append(part.getBytes(StandardCharsets.UTF_8).length).append("\r\n").append(part).append("\r\n");
        }
        try {
            out.write(command.toString().getBytes(StandardCharsets.UTF_8));
            out.flush();
            String head = in.readLine();
            if (head == null || !head.startsWith("$")) {
                throw new IOException("the ledger answered " + head);
            }
            in.readLine(); // the name of the entry
        } catch (IOException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(4);
        }
    }
}
