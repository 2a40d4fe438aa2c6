// What stands in front of every case in JavaScript: a case returns what it saw
// as one line of text.
import child from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { Worker } from "node:worker_threads";

const MIB = 1 << 20;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The names of the attempts that succeeded: those whose result is accepted.
async function reached(attempts, accepts = () => true) {
  const names = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    let seen;
    try {
      seen = await Promise.race([
        attempt(), sleep(3000).then(() => { throw new Error("late"); })]);
    } catch (error) {
      seen = error;
      if (accepts.length === 0)
        continue;
    }
    if (accepts(seen))
      names.push(name);
  }
  return names.join(" ") || "nothing";
}
