#!/bin/bash
# The bare tools: brings onto the machine all that an account with a website has there, as a careful
# administrator's script would, with the same units and the same folders for nginx.
#
#   bare.sh create-own|create-shared USERNAME UID DOMAIN   with the password on standard input
#   bare.sh suspend|unsuspend|terminate USERNAME UID DOMAIN
set -euo pipefail
verb=$1 username=$2 uid=$3 domain=$4
home=/home/$username
place=$home/sites/$domain/public
socket=/run/panel/php/$uid.sock
start=/etc/systemd/system/sockets.target.wants/panel-php@$uid.socket
limits=/etc/systemd/system/user-$uid.slice.d
web=/var/lib/panel/web
number=$(printf '%010d' "$uid")

make_user() {
  groupadd -g "$uid" -- "$username"
  useradd -l -M -N -u "$uid" -g "$uid" -G panel-sftp -d "$home" -s /usr/sbin/nologin -- "$username"
}

set_limits() {
  mkdir "$limits"
  printf '[Slice]\n' >"$limits/50-panel.conf"
  printf '%s\n' MemoryMax=512M MemorySwapMax=0 CPUQuota=100% TasksMax=200 >>"$limits/50-panel.conf"
  systemctl set-property --runtime -- "user-$uid.slice" \
    MemoryMax=512M MemorySwapMax=0 CPUQuota=100% TasksMax=200
}

make_home() {
  install -d -o root -g "$uid" -m 0751 "$home"
  install -d -o "$uid" -g panel-web -m 0710 "$home/sites"
  install -d -o "$uid" -g "$uid" -m 0750 "$home/files"
  install -d -o "$uid" -g "$uid" -m 0700 "$home/tmp"
  install -d -o root -g "$uid" -m 0750 "$home/logs"
  install -o "$uid" -g "$uid" -m 0660 /dev/null "$home/logs/php.log"
  setpriv --reuid="$uid" --regid="$uid" --clear-groups -- \
    tar --acls --no-same-owner -p -m -xf /var/lib/panel/site.tar \
    --one-top-level="$domain" -C "$home/sites"
}

make_php() {
  local options="pm = ondemand
pm.max_children = 8
pm.process_idle_timeout = 30s
pm.max_requests = 1000
request_terminate_timeout = 300s
security.limit_extensions = .php
php_admin_value[open_basedir] = $home/sites:$home/files:$home/tmp
php_admin_value[upload_tmp_dir] = $home/tmp
php_admin_value[session.save_path] = $home/tmp
php_admin_value[sys_temp_dir] = $home/tmp"
  if [[ $verb == create-own ]]; then
    cat >"/etc/panel/php/$uid.conf" <<END
[global]
error_log = $home/logs/php.log
daemonize = no
[$uid]
listen = $socket
$options
END
    ln -s ../panel-php@.socket "$start"
    systemctl start -- "panel-php@$uid.socket"
  else
    cat >"$(echo /etc/php/*/fpm/pool.d)/$uid.conf" <<END
[$uid]
user = $username
group = $username
listen = $socket
listen.owner = panel-web
$options
END
    # Many are made before one reload.
    [[ ${RELOAD:-} == no ]] || systemctl reload "$(basename /lib/systemd/system/php*-fpm.service)"
  fi
}

make_website() {
  mkdir "$web/live/$number" "$web/suspended/$number" "$web/suspended/$number/suspended"
  ln -s "$place" "$web/live/$number/http"
  ln -s "$place" "$web/live/$number/https"
  chown -h "$uid:$uid" "$web/live/$number/http" "$web/live/$number/https"
  ln -s "$socket" "$web/live/$number/php.sock"
  lead_to live
  ln -s "../sites/$number" "$web/names/$domain"
  ln -s "../sites/$number" "$web/names/www.$domain"
}

lead_to() {
  ln -s "../$1/$number" "$web/fresh/$number"
  mv -T "$web/fresh/$number" "$web/sites/$number"
}

stop_php() {
  rm "$start"
  systemctl stop -- "panel-php@$uid.socket" "panel-php@$uid.service"
}

end_processes() { pkill -KILL -U "$uid" || true; }

case $verb in
  create-*)
    make_user
    set_limits
    make_home
    make_php
    make_website
    read -r password
    hash=$(openssl passwd -6 -stdin <<<"$password")
    chpasswd -e <<<"$username:$hash"
    ;;
  suspend)
    usermod -L -e 1 -- "$username"
    lead_to held
    stop_php
    end_processes
    ;;
  unsuspend)
    ln -s ../panel-php@.socket "$start"
    systemctl start -- "panel-php@$uid.socket"
    lead_to live
    usermod -U -e '' -- "$username"
    ;;
  terminate)
    usermod -L -e 1 -- "$username"
    rm "$web/names/$domain" "$web/names/www.$domain"
    stop_php
    rm "/etc/panel/php/$uid.conf"
    end_processes
    systemctl stop -- "user-$uid.slice"
    rm -r "$limits" "/run/systemd/system.control/user-$uid.slice.d"
    mv "$home" "/home/.trash/$uid"
    rm -r "$web/sites/$number" "$web/live/$number" "$web/suspended/$number"
    userdel -- "$username"
    ;;
esac
