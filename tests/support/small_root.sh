#!/bin/sh
# Makes the root of a small image in a folder: the Python and the shell of this
# machine, with their libraries. usage: small_root.sh FOLDER
set -eu
root=$1
python=$(readlink -f /usr/bin/python3)
version=$("$python" -I -c \
    'import sys; print("python%d.%d" % sys.version_info[:2])')

mkdir -p "$root"
for name in dev proc run sys etc usr/bin usr/lib usr/lib64; do
    mkdir -p "$root/$name"
done
for name in data tmp workspace; do
    mkdir -m 1777 "$root/$name"
done
for name in bin lib lib64; do
    ln -s "usr/$name" "$root/$name"
done
cp "$python" "$root/usr/bin/python3"
for name in sh bash cat ls sleep env; do
    cp -L "/bin/$name" "$root/usr/bin/$name"
done
mkdir "$root/usr/lib/$version"
(cd "/usr/lib/$version" && tar -cf - --exclude test --exclude __pycache__ \
    --exclude 'config-*' --exclude ensurepip --exclude dist-packages \
    --exclude idlelib --exclude lib2to3 .) |
    tar -xf - -C "$root/usr/lib/$version"
# Each library at the path where it is looked for.
ldd "$python" /bin/bash /bin/ls "/usr/lib/$version"/lib-dynload/*.so |
    sed -n 's/^[[:space:]]\(.* => \)\{0,1\}\(\/[^ ]*\) (.*/\2/p' | sort -u |
    while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done
