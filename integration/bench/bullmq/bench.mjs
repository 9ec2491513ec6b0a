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

  /** Messages a second; waits five minutes at most. */
  async rate() {
    const ended = await within(300, this.#done, () => `only ${this.#count} of ${this.all} messages came`);
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

/** Eight digits and padding, as all sides have it. */
const payload = (number, bytes) => String(number).padStart(8, '0') + 'x'.repeat(bytes - 8);

/** Adds jobs in bulk. */
async function add(url, name, count, bytes) {
  const queue = new Queue(name, { connection: { url } });
  try {
    await queue.waitUntilReady();
    for (let at = 0; at < count; at += CHUNK) {
      const jobs = [];
      for (let i = at; i < Math.min(at + CHUNK, count); i++) {
        jobs.push({ name: 'bench', data: payload(i, bytes), opts: { removeOnComplete: true } });
      }
      await queue.addBulk(jobs);
    }
  } finally {
    await queue.close();
  }
}

/** Fills a queue, empties it and answers messages a second. */
async function consume(url, name, count, bytes, concurrency) {
  await add(url, name, count, bytes);
  const watch = new Stopwatch(count);
  const worker = new Worker(name, async () => watch.hit(), { connection: { url }, concurrency, autorun: false });
  worker.on('error', console.error);
  try {
    await worker.waitUntilReady();
    worker.run().catch(console.error); // it ends when it is closed
    return await watch.rate();
  } finally {
    await worker.close();
  }
}

const commands = {
  // URL QUEUE COUNT BYTES CONCURRENCY
  consume: (url, name, ...numbers) => consume(url, name, ...numbers.map(Number)),
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
