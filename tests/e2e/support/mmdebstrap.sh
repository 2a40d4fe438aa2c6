#!/bin/sh
# Stands in for mmdebstrap: notes its arguments in the file LOG beside it, and
# puts a small root where the real one would. With the file HANG beside it, it
# leaves a half of it and a process, and does not end.
here=$(dirname -- "$0")
printf '%s\n' "$*" >> "$here/LOG"
printf '%s\n' "$TMPDIR" > "$here/TMPDIR"
for root do :; done
mkdir -p "$root/usr/bin" "$root/etc"
[ ! -e "$here/FAIL" ] || { echo "E: no such package" >&2; exit 25; }
[ ! -e "$here/HANG" ] || {
	touch "$TMPDIR/rest"
	sleep 1000 &
	echo "$!" > "$here/HANGS"
	wait
}
# Of BLAS, but not of LAPACK, a package has the library.
libraries=$root/usr/lib/$(uname -m)-linux-gnu
mkdir -p "$libraries/blas"
echo "a library" > "$libraries/blas/libblas.so.3"
cp "$here/reader" "$root/usr/bin/reader"
cp "$here/reader" "$root/usr/bin/python3"
