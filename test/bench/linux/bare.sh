#!/bin/bash
# The bare tools: brings onto the machine all that a create with a website brings, as a careful
# administrator's script would. Reads the password from standard input.
#
#   bare.sh own|shared USERNAME UID DOMAIN
#
# GROUPS_OF_CONTROLLERS names the folders of control groups; RELOAD=no leaves the reloads to later.
set -euo pipefail
masters=$1 username=$2 uid=$3 domain=$4
home=/home/$username
place=$home/sites/$domain/public
php=$(echo /usr/sbin/php-fpm?.?)
socket=/run/bench/$uid.sock

groupadd -g "$uid" -- "$username"
useradd -l -M -N -u "$uid" -g "$uid" -G panel-sftp -d "$home" -s /usr/sbin/nologin -- "$username"
read -r password
hash=$(openssl passwd -6 -stdin <<<"$password")
chpasswd -e <<<"$username:$hash"

for group in $GROUPS_OF_CONTROLLERS; do mkdir "$group/bench-$uid"; done
for group in $GROUPS_OF_CONTROLLERS; do
  case $group in
    */memory/*) echo 512M >"$group/bench-$uid/memory.limit_in_bytes" ;;
    */cpu/*) echo 100000 >"$group/bench-$uid/cpu.cfs_quota_us" ;;
    */pids/*) echo 512 >"$group/bench-$uid/pids.max" ;;
  esac
done

install -d -o root -g "$uid" -m 0751 "$home"
install -d -o "$uid" -g "$uid" -m 0750 "$home/sites" "$home/files"
install -d -o "$uid" -g "$uid" -m 0700 "$home/tmp"
install -d -o root -g "$uid" -m 0750 "$home/logs"
# shellcheck disable=SC2016
setpriv --reuid="$uid" --regid="$uid" --clear-groups bash -c '
  set -e
  install -d -m 0750 "${1%/public}" "$1"
  install -m 0640 /etc/bench-php/index.html "$1/index.html"
  setfacl -m u:www-data:--x "${1%/*/*}" "${1%/*}"
  setfacl -R -m u:www-data:rX,d:u:www-data:rX "$1"' - "$place"

options="pm = ondemand
pm.max_children = 8
pm.process_idle_timeout = 30s
pm.max_requests = 1000
request_terminate_timeout = 300s
security.limit_extensions = .php
php_admin_value[open_basedir] = $home/sites:$home/files:$home/tmp
php_admin_value[upload_tmp_dir] = $home/tmp
php_admin_value[session.save_path] = $home/tmp
php_admin_value[sys_temp_dir] = $home/tmp"
if [[ $masters == own ]]; then
  file=/etc/bench-php/$uid.conf
  cat >"$file" <<END
[global]
error_log = /dev/null
daemonize = no
[$uid]
listen = $socket
listen.mode = 0666
$options
END
  as_user=(setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs)
  "${as_user[@]}" "$php" -t -y "$file" 2>/dev/null
  "${as_user[@]}" "$php" --nodaemonize -y "$file" </dev/null >/dev/null 2>&1 &
  for group in $GROUPS_OF_CONTROLLERS; do echo $! >"$group/bench-$uid/cgroup.procs"; done
else
  cat >"$(echo /etc/php/*/fpm/pool.d)/$uid.conf" <<END
[$uid]
user = $username
group = $username
listen = $socket
listen.owner = www-data
$options
END
  if [[ ${RELOAD:-} != no ]]; then
    "$php" -t 2>/dev/null
    kill -USR2 "$(cat /run/php/php*-fpm.pid)"
  fi
fi

cat >"/etc/nginx/sites-enabled/$uid.conf" <<END
server {
    listen 80;
    listen [::]:80;
    server_name $domain www.$domain;
    access_log /var/log/nginx/bench.log;
    root $place;
    index index.php index.html;
    disable_symlinks if_not_owner;
    location / {
        try_files \$uri \$uri/ /index.php\$is_args\$args;
    }
    location ~ /\\. {
        return 404;
    }
    location ~ \\.php\$ {
        try_files \$uri =404;
        include /etc/nginx/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name;
        fastcgi_param HTTP_PROXY "";
        fastcgi_pass unix:$socket;
    }
}
END
if [[ ${RELOAD:-} != no ]]; then
  nginx -t -q
  kill -HUP "$(cat /run/nginx.pid)"
fi
