"""Many calls: sustained with so many in flight, and in a burst."""
import os
import time
from concurrent.futures import ThreadPoolExecutor

from client import checked
from measure import (PAUSE, alternating, kinds, median, percentile, plain,
                     settle)

IN_FLIGHT = (1, 2, 4, 16, 64)
ROUNDS = 5  # of the yardstick and of each number in flight, in turns
SECONDS = 1  # for each in each round
STARTS = 30  # of the yardstick in each round, for each processor
BURST = 16
BURSTS = 20
CODE = "print('hi')"


def turns_for(seconds):
    """Turns without an end until so many seconds are over."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        yield


def sustained(bench, client, in_flight, code=CODE):
    """Calls a second, and the seconds that each took."""
    seconds = 0.2 if bench.quick else SECONDS
    client.answers(code, in_flight, turns_for(seconds / 5))
    times = client.answers(code, in_flight, turns_for(seconds))
    elapsed = max(end for _, end in times) - min(begin for begin, _ in times)
    return len(times) / elapsed, [end - begin for begin, end in times]


def plain_rate(bench):
    """Starts of plain Python a second, one for each processor at a time."""
    count = bench.rounds(STARTS) * os.cpu_count()
    start = plain()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        begin = time.perf_counter()
        list(pool.map(lambda _: start(), range(count)))
        return count / (time.perf_counter() - begin)


def measure_in_turns(bench, client, in_flight):
    """Throughputs, the same of the yardstick, and the seconds of all calls.

    Other programs use the processors for seconds at a time, so a throughput
    and its yardstick are measured one directly after the other, the first of
    them alternating.
    """
    rates, yardsticks, seconds = [], [], []

    def measure_rate():
        rate, times = sustained(bench, client, in_flight)
        rates.append(rate)
        seconds.extend(times)

    both = [lambda: yardsticks.append(plain_rate(bench)), measure_rate]
    for number in range(bench.rounds(ROUNDS)):
        for measure_one in alternating(both, number):
            measure_one()
    return rates, yardsticks, seconds


def measure_sustained(bench):
    """Throughput and latency with more and more calls in flight."""
    medians, tails, each = [], [], []
    with bench.clients({"it": {}}) as clients:
        for in_flight in bench.points(IN_FLIGHT):
            rates, yardsticks, seconds = measure_in_turns(
                bench, clients["it"], in_flight)
            rate, tail = median(rates), percentile(seconds, 0.99)
            bench.pairs(f"{in_flight} in flight", rates, "/s",
                        "python3 -I -c pass, one a processor", yardsticks)
            bench.row(f"{in_flight} in flight, median", median(seconds), "s")
            bench.row(f"{in_flight} in flight, p99", tail, "s",
                      "2 x in flight / throughput", 2 * in_flight / rate)
            medians.append((in_flight, median(seconds)))
            tails.append((in_flight, tail))
            each.append((in_flight, in_flight / rate))
    bench.curves.append({
        "title": "calls in flight", "x": "calls in flight", "unit": "",
        "lines": {"median": medians, "p99": tails,
                  "in flight / throughput": each}})


def measure_burst(bench):
    """So many calls at once, as many boxes being ready."""
    name = f"burst of {BURST} from a full pool, last answer"
    if not bench.has("POOL"):
        bench.missing(name)
        return
    ones, lasts = [], []
    options = {"POOL": BURST, "MAX_CONCURRENT": BURST}
    with bench.clients({"it": options}) as clients:
        client = clients["it"]
        if len(kinds(client.pid).get("relay", [])) < BURST:
            bench.missing(name, f"not in force: fewer than {BURST} boxes wait")
            return
        for _ in range(bench.rounds(BURSTS)):
            for count, into in ((1, ones), (BURST, lasts)):
                settle(client.pid)
                time.sleep(PAUSE)
                into.append(burst(client, count))
    bench.medians(name, lasts, "the median of one", ones)


def burst(client, count):
    """The seconds until the last of so many answers."""
    lines = b"".join(client.code_line(CODE) for _ in range(count))
    answers = []
    begin = time.perf_counter()
    client.write(lines)
    while len(answers) < count:
        answers += client.read()
    seconds = time.perf_counter() - begin
    for line in answers:
        checked(line)
    return seconds


def measure(bench):
    """All of it."""
    bench.section = "load"
    measure_sustained(bench)
    measure_burst(bench)
