// What stands in front of every case in JavaScript: a case returns what it saw
// as one line of text.
import child from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { Worker } from "node:worker_threads";

const MIB = 1 << 20;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
// The end of the box, which the deadline of the call brings at the latest.
const ended = () => sleep(1 << 30);

// The names of the attempts that succeeded: those whose result is accepted.
async function reached(attempts, accepts = () => true) {
  const names = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    let seen, timer;
    try {
      seen = await Promise.race([attempt(), new Promise((_, reject) => {
        timer = setTimeout(reject, 3000, new Error("late"));
      })]);
    } catch (error) {
      seen = error;
      if (accepts.length === 0)
        continue;
    } finally {
      clearTimeout(timer);
    }
    if (accepts(seen))
      names.push(name);
  }
  return names.join(" ") || "nothing";
}
