import { execFileSync, spawn } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { webServer } from '../../../src/host/accounts/users.ts'

// nginx and PHP as an administrator configures them by hand for a few WordPress websites: a server
// block and a pool each, and one PHP master for all.

/** Where the plain nginx listens. */
export const plainPort = 8080

/** A website of the panel, and the folder of its application's front controller. */
type Site = { username: string; domain: string; front: string }

export type Plain = {
  /** Adds a redirect to a website as an administrator does: edit, test, reload. */
  redirect: (domain: string, path: string) => Promise<void>
  stop: () => void
}

const folder = '/etc/bench-plain'
const nginx = ['nginx', '-c', `${folder}/nginx.conf`] as const
const socketOf = (username: string): string => `/run/bench-${username}.sock`

/** The program of PHP on this machine. */
export const phpProgram = (): string => globSync('/usr/sbin/php-fpm?.?')[0] ?? 'php-fpm'

/** Serves the same folders as the panel, by another nginx and another PHP. */
export async function openPlain(sites: readonly Site[]): Promise<Plain> {
  mkdirSync(`${folder}/sites`, { recursive: true })
  const pools = sites.map(({ username }) => renderPool(username)).join('')
  const php = startMaster('plain', pools)
  const redirects = new Map<string, string>()
  const write = (site: Site) =>
    writeFileSync(
      `${folder}/sites/${site.domain}.conf`,
      renderSite(site, redirects.get(site.domain)),
    )
  sites.forEach(write)
  writeFileSync(`${folder}/nginx.conf`, main)
  run(...nginx)
  return {
    async redirect(domain, path) {
      redirects.set(domain, path)
      sites.filter(site => site.domain === domain).forEach(write)
      run(...nginx, '-t', '-q')
      run(...nginx, '-s', 'reload', '-e', '/dev/null')
    },
    stop() {
      run(...nginx, '-s', 'stop')
      php.kill()
    },
  }
}

/** Starts a PHP master with these pools, as the distribution's unit does. */
export function startMaster(name: string, pools: string, ...options: string[]) {
  const path = `/run/bench-${name}.conf`
  writeFileSync(path, `[global]\nerror_log = /run/bench-${name}.log\ndaemonize = no\n${pools}`)
  return spawn(phpProgram(), ['--nodaemonize', '-y', path, ...options], { stdio: 'ignore' })
}

/** A pool as `bare.sh` writes it. */
export function renderPool(username: string): string {
  const home = `/home/${username}`
  return `[${username}]
user = ${username}
group = ${username}
listen = ${socketOf(username)}
listen.owner = ${webServer}
pm = ondemand
pm.max_children = 16
pm.process_idle_timeout = 30s
pm.max_requests = 1000
request_terminate_timeout = 300s
security.limit_extensions = .php
php_admin_value[open_basedir] = ${home}/sites:${home}/files:${home}/tmp
php_admin_value[upload_tmp_dir] = ${home}/tmp
php_admin_value[session.save_path] = ${home}/tmp
php_admin_value[sys_temp_dir] = ${home}/tmp
`
}

const run = (command: string, ...words: string[]) =>
  execFileSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] })

// nginx's own settings are Debian's, with a log as there.
const main = `user ${webServer};
worker_processes auto;
pid ${folder}/nginx.pid;
error_log /var/log/nginx/bench-error.log;
events {
    worker_connections 768;
}
http {
    sendfile on;
    tcp_nopush on;
    types_hash_max_size 2048;
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log /var/log/nginx/bench-access.log;
    gzip on;
    keepalive_requests 100000;
    include ${folder}/sites/*.conf;
}
`

const renderRedirect = (path: string): string => `\
    location = ${path} {
        return 301 https://new.example/;
    }
`

const renderSite = ({ username, domain, front }: Site, redirect?: string): string => `server {
    listen ${plainPort};
    server_name ${domain} www.${domain};
    root /home/${username}/sites/${domain}/public;
    index index.php index.html;
${redirect === undefined ? '' : renderRedirect(redirect)}\
    location ${front}/ {
        try_files $uri $uri/ ${front}/index.php$is_args$args;
    }
    location ~ /\\.(?!well-known/) {
        deny all;
    }
    location ~ \\.php$ {
        try_files $uri =404;
        include /etc/nginx/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
        fastcgi_param HTTP_PROXY "";
        fastcgi_pass unix:${socketOf(username)};
    }
}
`

/** Returns the memory of processes in MB, in which what they share counts once (`Pss`). */
export function memoryOf(pids: readonly number[]): number {
  const kilobytes = pids.map(pid => {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss: +([0-9]+) kB$/m.exec(text)?.[1])
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}
