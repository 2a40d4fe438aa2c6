# What "./setup run" runs: reads a table from text, computes, prints a table.
import csv
import io
import statistics

TEXT = """\
city,month,visitors
Oslo,May,1204
Oslo,June,1811
Lisbon,May,3920
Lisbon,June,4477
Turin,May,987
Turin,June,1102
"""

visitors = {}
for row in csv.DictReader(io.StringIO(TEXT)):
    visitors.setdefault(row["city"], []).append(int(row["visitors"]))

print(f"{'city':<8}{'total':>8}{'mean':>10}{'growth':>9}")
for city, (may, june) in sorted(visitors.items()):
    mean = statistics.mean((may, june))
    print(f"{city:<8}{may + june:>8}{mean:>10.1f}{june / may - 1:>9.1%}")
