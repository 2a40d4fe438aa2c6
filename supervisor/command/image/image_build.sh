# caisson image build: makes a root file system and has the engine import it.
#
#   ENGINE NAME LANGUAGE FROM PACKAGES CHANGE...
#
# FROM is a directory, or empty for PACKAGES of Debian, with commas; each CHANGE
# is one of the engine's "import --change". Packages are unpacked and
# their scripts are not run, so no privileges are needed and nothing is mounted.
set -eu
engine=$1 name=$2 language=$3 from=$4 packages=$5
shift 5

fail() {
	echo "caisson: $*" >&2
	exit 1
}

# Nothing is left of the archive, whatever ends this: it has no name any more.
file=$(mktemp "${TMPDIR:-/var/tmp}/caisson-image-XXXXXX")
exec 3<> "$file"
rm -f "$file"

# A child that ends before us removes what it has made.
child=
trap '[ -z "$child" ] || kill "$child" 2> /dev/null || :; wait; exit 1' \
	HUP INT TERM
await() {
	exec 4<&0 # a shell gives a child in the background no input
	"$@" <&4 3>&- 4<&- &
	child=$!
	exec 4<&-
	wait "$child" || fail "$1 has failed: nothing was built"
	child=
}

# Links that scripts of packages would make. numpy and all that is built on it
# cannot be imported without them.
# shellcheck disable=SC2016 # mmdebstrap has it run there
links='cd "$1" && for each in usr/lib/*/blas usr/lib/*/lapack; do
	kind=${each##*/}
	link=${each%/*}/lib$kind.so.3
	[ ! -e "$each/lib$kind.so.3" ] || [ -e "$link" ] ||
		ln -s "$kind/lib$kind.so.3" "$link"
done'

unpack() {
	command -v mmdebstrap > /dev/null ||
		fail "mmdebstrap is not installed: run 'apt-get install" \
			"mmdebstrap' as root, or give a directory with the" \
			"files of the image in --from"
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}") || release=
	[ -n "$release" ] ||
		fail "/etc/os-release names no release of Debian: give a" \
			"directory with the files of the image in --from"
	echo "Unpacking packages of Debian $release ($packages) ..." >&2
	await mmdebstrap --quiet --mode=chrootless --variant=extract \
		"--include=$packages" "--extract-hook=$links" "$release" - >&3
}

# Links may lead out of the root here, though not in a container.
check_python() {
	for place in usr/local/bin usr/bin bin; do
		if [ -e "$from/$place/python3" ] ||
			[ -L "$from/$place/python3" ]; then
			return
		fi
	done
	fail "$from has no python3 in /usr/local/bin or /usr/bin: install it" \
		"there, or build the image from packages, without --from"
}

copy() {
	[ "$language" != python ] || check_python
	echo "Copying $from ..." >&2
	await tar --create --file=- --one-file-system --owner=0 --group=0 \
		--numeric-owner --sort=name "--directory=$from" . >&3
}

if [ -n "$from" ]; then copy; else unpack; fi
echo "Giving it to $engine ..." >&2
await "$engine" import "$@" - "$name" < /dev/fd/3 > /dev/null
digest=$("$engine" image inspect --format '{{.Id}}' "$name")
echo "Built $name, sha256:${digest#sha256:}."
[ "$language" = python ] ||
	echo "'caisson image add $name' makes it a language for code."
