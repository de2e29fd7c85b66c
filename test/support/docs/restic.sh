#!/bin/sh
# Stands in for restic where examples of the reference run: each backup is one snapshot of nothing
# but what the panel expects of it.
set -eu
r=$(cat "$RESTIC_REPOSITORY_FILE")
for word in "$@"; do
  case $word in cat | init | unlock | backup | dump | forget | snapshots | ls | restore) break ;; esac
done
mkdir -p "$r"
id=0000000000000000000000000000000000000000000000000000000000000001
case $word in
  cat) [ -e "$r/config" ] ;;
  init) : >"$r/config" ;;
  dump) cat "$r/stdin" ;;
  snapshots) echo '[]' ;;
  backup)
    case "$*" in
      *--stdin*) cat >"$r/stdin" ;;
      *)
        while [ "$1" != -- ]; do shift; done
        shift
        spool=$2
        (
          echo "{\"struct_type\":\"snapshot\",\"id\":\"$id\"}"
          for word in "$@"; do
            echo "{\"struct_type\":\"node\",\"type\":\"dir\",\"path\":\"$word\"}"
          done
          find "$spool" -type f \
            -printf '{"struct_type":"node","type":"file","path":"%p","size":%s}\n'
        ) >"$r/ls"
        echo "$spool" >"$r/spool"
        cp "$spool/account.json" "$r/"
        echo "{\"message_type\":\"summary\",\"snapshot_id\":\"$id\",\"total_bytes_processed\":1," \
          '"data_added":1,"total_files_processed":1}'
        ;;
    esac
    ;;
  ls) cat "$r/ls" ;;
  restore)
    while [ "$1" != --target ]; do shift; done
    to=$2$(cat "$r/spool")
    mkdir -p "$to"
    cp "$r/account.json" "$to/"
    ;;
esac
