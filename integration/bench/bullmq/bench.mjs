// Measures BullMQ for the Go benchmark beside it: one command a line on standard input,
// one answer a line on standard output, "ok TEXT" or "err TEXT". One process serves all
// rounds, so that the compiler has long done its work.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { Queue, Worker } from 'bullmq';

// Whoever else prints must not disturb the answers.
console.log = console.error;
const answer = (text) => process.stdout.write(text + '\n');

// Jobs of one addBulk, which is one pipeline.
const CHUNK = 1000;

/** Times the way from the end of a warm-up, a tenth of all, to the last message. */
class Stopwatch {
  #count = 0;
  #began;
  #finish;
  #done = new Promise((resolve) => (this.#finish = resolve));

  constructor(all) {
    this.all = all;
    this.warm = Math.floor(all / 10);
  }

  hit() {
    this.#count++;
    if (this.#count === this.warm) {
      this.#began = performance.now();
    }
    if (this.#count === this.all) {
      this.#finish(performance.now());
    }
  }

  /** Messages a second; waits a minute at most. */
  async rate() {
    const ended = await within(60, this.#done, () => `only ${this.#count} of ${this.all} messages came`);
    return ((this.all - this.warm) * 1000) / (ended - this.#began);
  }
}

/** Bounds a wait: what does not come is an error and not a program that hangs. */
async function within(seconds, promise, complaint) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${complaint()} within ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Microseconds as the Go side counts them, of whole ms. */
const now = () => Date.now() * 1000;

/** Eight digits and padding, as all sides have it. */
const payload = (number, bytes) => String(number).padStart(8, '0') + 'x'.repeat(bytes - 8);

/** Adds jobs in bulk and answers offers a second; a due time of 0 ms means at once. */
async function add(url, name, count, bytes, due) {
  const queue = new Queue(name, { connection: { url } });
  try {
    await queue.waitUntilReady();
    const watch = new Stopwatch(count);
    const chunk = Math.min(CHUNK, count / 10); // the warm-up ends with a chunk
    for (let at = 0; at < count; at += chunk) {
      // A delay counts from the timestamp: both are given, so that all are due at one ms.
      const timestamp = Date.now();
      const opts = { removeOnComplete: true, timestamp, delay: due && Math.max(due - timestamp, 0) };
      const jobs = [];
      for (let i = at; i < Math.min(at + chunk, count); i++) {
        jobs.push({ name: 'bench', data: payload(i, bytes), opts });
      }
      await queue.addBulk(jobs);
      jobs.forEach(() => watch.hit());
    }
    return await watch.rate();
  } finally {
    await queue.close();
  }
}

function open(url, name, concurrency, handler) {
  const worker = new Worker(name, handler, { connection: { url }, concurrency, autorun: false });
  worker.on('error', console.error);
  return worker;
}

/** A worker runs until it is closed. No caller waits for that, so its errors are told here. */
const run = (worker) => worker.run().catch(console.error);

/** Fills a queue, empties it and answers messages a second. */
async function consume(url, name, count, bytes, concurrency) {
  await add(url, name, count, bytes, 0);
  const watch = new Stopwatch(count);
  const worker = open(url, name, concurrency, async () => watch.hit());
  try {
    await worker.waitUntilReady();
    run(worker);
    return await watch.rate();
  } finally {
    await worker.close();
  }
}

/** A worker of a queue whose messages are all due at one instant, in µs. */
class Serving {
  #told = { Count: 0, Early: 0, First: 0, Last: 0 };
  #finish;
  #all = new Promise((resolve) => (this.#finish = resolve));

  constructor(url, name, concurrency, due, count) {
    this.worker = open(url, name, concurrency, async () => this.#begin(due, count));
  }

  #begin(due, count) {
    const at = now();
    const told = this.#told;
    told.Count++;
    told.Early += at < due ? 1 : 0;
    told.First ||= at;
    told.Last = at;
    if (told.Count === count) {
      this.#finish();
    }
  }

  async start() {
    await this.worker.waitUntilReady();
    run(this.worker);
    return now();
  }

  async await(seconds) {
    await within(seconds, this.#all, () => `only ${this.#told.Count} messages came`);
    return JSON.stringify(this.#told);
  }

  async stop() {
    await this.worker.close();
    return '';
  }
}

let serving;

const commands = {
  // URL QUEUE COUNT BYTES CONCURRENCY
  consume: (url, name, ...numbers) => consume(url, name, ...numbers.map(Number)),
  // URL QUEUE COUNT BYTES DUE-MS
  offer: (url, name, ...numbers) => add(url, name, ...numbers.map(Number)),
  // URL QUEUE CONCURRENCY DUE-µs COUNT; nothing is taken before serve-start
  serve: (url, name, ...numbers) => {
    serving = new Serving(url, name, ...numbers.map(Number));
    return '';
  },
  'serve-start': () => serving.start(),
  'serve-await': (seconds) => serving.await(Number(seconds)), // SECONDS
  'serve-stop': () => serving.stop(),
};

const { version } = createRequire(import.meta.url)('bullmq/package.json');
answer(`ok Node ${process.version}, BullMQ ${version}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = line.split(' ');
  try {
    if (!commands[name]) {
      throw new Error(`unknown command ${name}`);
    }
    answer(`ok ${await commands[name](...args)}`);
  } catch (error) {
    console.error(error);
    answer(`err ${String(error).replaceAll('\n', ' ')}`);
  }
}
process.exit(0);
