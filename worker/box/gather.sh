#!/bin/sh
# gather.sh BOX DEPFILE SOURCE INTERPRETER LANGUAGES [FILE PLACE]...
#
# Makes the folder BOX, which lies beside caisson-box: of each language what its
# folder in SOURCE has besides sources of programs, and each FILE at its PLACE.
# Python gets the side of a picture from where C has it.
# The modules of Python that every box uses are compiled for INTERPRETER, if it
# is here; another one compiles them anew.
set -e
box=$1 depfile=$2 source=$3 interpreter=$4 languages=$5
shift 5
rm -rf "$box"
mkdir "$box"
for language in $languages; do
	cp -R "$source/$language" "$box"
	find "$source/$language" -name __pycache__ -prune -o -print
done | sed 's/[ #]/\\&/g; s/^/box: /' > "$depfile"
find "$box" '(' -name __pycache__ -o -name '*.[ch]' -o -name '*.def' \
	-o -name meson.build -o -name bundle.py ')' -prune -exec rm -rf {} +
# The engines of JavaScript run wasm, too.
(cd "$box/javascript" && cp --parents start.sh mcp/wire.mjs mcp/pipes.mjs \
	mcp/json.mjs program/input.mjs program/output.mjs ../wasm &&
	python3 "$source/javascript/bundle.py")
# bun takes modules that begin so as they are, in half of the time.
find "$box" -name '*.mjs' -exec sed -i '1s|^|// @bun\n|' {} +
limits=$source/../../common/limits.h
echo "box: $limits" >> "$depfile"
sed -i "s/@PICTURE_SIDE_MAX@/$(sed -n 's/^#define PICTURE_SIDE_MAX //p' \
	"$limits")/" "$box/python/mcp/files/_picture.py"
while [ $# -gt 0 ]; do
	mkdir -p "$(dirname "$box/$2")"
	cp "$1" "$box/$2"
	chmod 755 "$box/$2"
	shift 2
done
test -x "$interpreter" || exit 0
cd "$box/python"
"$interpreter" -I -m compileall -q --invalidation-mode checked-hash \
	mcp bootstrap.py halves.py pump.py program/ending.py \
	program/namespace.py program/report.py program/script.py \
	program/source.py
