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
        home='' spool=''
        for word in "$@"; do
          home=$spool spool=$word
        done
        (
          echo "{\"struct_type\":\"snapshot\",\"id\":\"$id\"}"
          echo "{\"struct_type\":\"node\",\"type\":\"dir\",\"path\":\"$home\"}"
          find "$spool" -type f \
            -printf '{"struct_type":"node","type":"file","path":"%p","size":%s}\n'
        ) >"$r/ls"
        echo "{\"message_type\":\"summary\",\"snapshot_id\":\"$id\",\"total_bytes_processed\":1," \
          '"data_added":1,"total_files_processed":1}'
        ;;
    esac
    ;;
  ls) cat "$r/ls" ;;
esac
