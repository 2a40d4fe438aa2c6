/*
 * Waiting: for an event, with a deadline that is not a measurement but a last
 * resort; and for the end of foreign processes, which is not announced.
 */
const patience = 300;

/* Settles as the promise does, or fails with a sentence after the deadline. */
export async function within(promise, what, seconds = patience) {
  let timer;
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(() => {
      const text = typeof what === 'function' ? what() : what;

      reject(new Error(`waited ${seconds} s for ${text}`));
    }, seconds * 1000);
  });

  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/*
 * Code that its deadline ends, once it has come to some point: is called with
 * longer and longer ones, in seconds, until the answer shows that it had.
 */
export async function untilLate(call, reached) {
  for (let timeout = 2; ; timeout *= 2) {
    const answer = await call(timeout);

    if (timeout >= 64 || await reached(answer))
      return answer;
  }
}

/* Asks again and again until the answer is true; returns that answer. */
export async function until(ask, what, seconds = patience) {
  const begin = Date.now();
  const end = begin + seconds * 1000;

  for (;;) {
    const answer = await ask();

    if (answer)
      return answer;
    if (Date.now() > end) {
      const text = typeof what === 'function' ? what() : what;

      throw new Error(`waited ${seconds} s for ${text}`);
    }
    /* To look at all processes takes time, which what is awaited needs. */
    await pause(Math.min(100, 20 + (Date.now() - begin) / 20));
  }
}
