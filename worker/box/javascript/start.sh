#!/bin/sh
# Starts the engine that an image has, in a container: as engine.c does in a
# native box. Standard input is a file without a name there, too.
here=${0%/*}
input=$(mktemp) && exec 0<> "$input" && rm "$input"
export NO_COLOR=1 BUN_RUNTIME_TRANSPILER_CACHE_PATH=0
if engine=$(command -v bun); then
	exec "$engine" --no-install --no-env-file "$here/bootstrap.mjs"
elif engine=$(command -v deno); then
	exec "$engine" run --no-prompt --no-config --no-lock --no-remote \
		--node-modules-dir=manual --no-code-cache --quiet --allow-all \
		"$here/bootstrap.mjs"
elif engine=$(command -v node); then
	exec "$engine" "$here/bootstrap.mjs"
fi
echo 'caisson: the code was not run: the image has no bun, deno or node: add' \
	'one to it, or name another image in CAISSON_IMAGE' >&2
exit 70
