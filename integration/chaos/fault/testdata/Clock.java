// Prints, each time it reads a line, what time it is and how long it has run, in ms.
class Clock {
    public static void main(String[] args) throws Exception {
        long began = System.nanoTime();
        while (System.in.read() >= 0) {
            System.out.println(System.currentTimeMillis() + " " + (System.nanoTime() - began) / 1_000_000);
        }
    }
}
