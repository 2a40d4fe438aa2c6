#!/bin/sh
# Stands in for podman: notes its arguments in the file LOG beside it, and
# answers what an image is from the file ANSWER beside it, and which variables
# it sets from the file VARIABLES. It keeps what it is to import in the file
# IMPORTED. What an image would have it do, volumes or annotations, it answers
# from the file WANTS. With a file REFUSE it has no image, or not the one that
# the file names.
here=$(dirname -- "$0")
printf '%s\n' "$(basename -- "$0") $*" >> "$here/LOG"
refused() {
	[ -e "$here/REFUSE" ] || return
	for image; do :; done
	[ ! -s "$here/REFUSE" ] || [ "$image" = "$(cat "$here/REFUSE")" ]
}
case $1 in
import)	cat > "$here/IMPORTED" ;;
image)	case $* in
	*.Config.Env*)	[ ! -e "$here/VARIABLES" ] || cat "$here/VARIABLES" ;;
	*.Config.Volumes* | *.Annotations*)
		[ ! -e "$here/WANTS" ] || cat "$here/WANTS" ;;
	*)	if refused "$@"; then
			echo "no such image" >&2
			exit 125
		fi
		cat "$here/ANSWER" ;;
	esac ;;
rm)	[ ! -e "$here/REFUSE" ] || { echo "no such container" >&2; exit 1; } ;;
export)	cat "$here/EXPORTED" ;;
create | pull)
	[ ! -e "$here/REFUSE" ] || { echo "no such image" >&2; exit 125; } ;;
*)	exit 125 ;;
esac
