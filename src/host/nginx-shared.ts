// What all websites share in nginx.

/** One file a website, named by the site's number. */
export const live = '/etc/nginx/panel/sites'

/** Where files wait for their test; on the same file system. */
export const staging = '/etc/nginx/panel/staging'

/** Read by the machine's own nginx.conf. */
export const sharedFile = '/etc/nginx/conf.d/panel.conf'

/** The machine's own configuration. */
export const ownFile = '/etc/nginx/nginx.conf'

/** The configuration of a test; beside the machine's own, whose relative paths begin there. */
export const checkFile = '/etc/nginx/panel-check.conf'

/** Is there while nginx may not have read all of the live folder; gone with a restart. */
export const staleFile = '/run/panel/nginx-stale'

export const listenFile = '/etc/nginx/panel/listen.conf'
export const challengeFile = '/etc/nginx/panel/challenge.conf'

export const renderShared = (hasIpv6: boolean): string => `# Written by the panel, which \
overwrites changes.
server_names_hash_max_size 65536;
server_names_hash_bucket_size 128;

# One log for all sites: one each would be an open file each in every process.
log_format panel '$msec $panel_site $bytes_sent $request_length $status';

# A name that no site has must not fall into somebody's site.
server {
    listen 80 default_server;${hasIpv6 ? '\n    listen [::]:80 default_server;' : ''}
    server_name _;
    set $panel_site 0;
    access_log off;
    return 421;
}

include ${live}/*.conf;
`

const ownInclude = /^[ \t]*include[ \t]+(\/etc\/nginx\/)?conf\.d\/\*\.conf;/m

/**
 * The machine's own configuration with what is staged besides; on a sandbox, which has none, one
 * that holds only what is the panel's.
 */
export function renderCheck(own: string | undefined): string {
  const text = own ?? `events {}\nhttp {\n    include /etc/nginx/conf.d/*.conf;\n}\n`
  const staged = `    include ${staging}/*.conf;`
  const check = text.replace(ownInclude, include => `${include}\n${staged}`)
  if (check === text) {
    throw new Error(`${ownFile} does not include conf.d/*.conf, so it would serve no website`)
  }
  return `# Written by the panel, which overwrites changes.\n${check}`
}

/**
 * What every site logs to. It is read on from where it was left, so whoever rotates it renames it
 * and compresses what was renamed a rotation later (`delaycompress`, Debian's own setting).
 */
export const accessLog = '/var/log/nginx/panel-access.log'

/** The addresses of every site. */
export const renderListen = (hasIpv6: boolean): string =>
  `listen 80;\n${hasIpv6 ? 'listen [::]:80;\n' : ''}`

/** How a site proves to a certificate authority that it is here, suspended or not. */
export const renderChallenge = (): string => `location ^~ /.well-known/acme-challenge/ {
    root /var/lib/panel/challenge;
    default_type text/plain;
    disable_symlinks off;
}
`
