#!/bin/sh
# Repacks Debian's packages of one version of PHP as those of another, which can be installed next to
# it, and makes a source of packages of them: repack-php.sh FROM TO ARCHIVES FOLDER
set -eu
export LC_ALL=C
from=$1 to=$2 archives=$3 folder=$4
mkdir -p "$folder"
program=$(echo "$archives"/php"$from"-fpm_*.deb)
# The whole version and the number of the extensions' interface are in the programs too, where their
# length may not change.
whole=$(dpkg-deb -f "$program" Version | sed 's/^[0-9]*://; s/[-+~].*//')
new=$(echo "$whole" | sed "s/^$from/$to/")
api=$(dpkg-deb -f "$program" Provides | grep -o "phpapi-[0-9]*" | cut -d- -f2)
other=${api%??}99
from=$(echo "$from" | sed 's/[.]/[.]/')
names="s#\(ph[a-z.]*\(-fpm\|/\|\)\)$from#\1$to#g; s#$(echo "$whole" | sed 's/[.]/[.]/g')#$new#g; s#$api#$other#g"
for archive in "$archives"/php"${1}"-*.deb; do
  tree=$folder/tree
  rm -rf "$tree"
  dpkg-deb -R "$archive" "$tree"
  rm -f "$tree/DEBIAN/md5sums"
  find "$tree" -type f -exec sed -i "$names" {} +
  # Scripts of the package and its services name the version alone too.
  find "$tree/DEBIAN" -type f ! -name control -exec sed -i "s#\b$from\b#$to#g" {} +
  find "$tree" -type l | while read -r link; do
    ln -sfn "$(readlink "$link" | sed "$names")" "$link"
  done
  find "$tree" -depth -path "$tree/DEBIAN" -prune -o -name '*[0-9]*' -print | while read -r path; do
    renamed=$(basename "$path" | sed "$names; s#^$from\$#$to#")
    [ "$renamed" = "$(basename "$path")" ] || mv "$path" "$(dirname "$path")/$renamed"
  done
  dpkg-deb -Znone --root-owner-group -b "$tree" "$folder" >/dev/null
done
rm -rf "$folder/tree"
cd "$folder"
for archive in *.deb; do
  dpkg-deb -f "$archive"
  echo "Filename: ./$archive"
  echo "Size: $(stat -c %s "$archive")"
  echo "SHA256: $(sha256sum "$archive" | cut -d' ' -f1)"
  echo
done >Packages
