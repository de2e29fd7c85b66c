// What all websites share in nginx.

/** One file a website, named by the site's number. */
export const live = '/etc/nginx/panel/sites'

/** Where files wait for their test; on the same file system. */
export const staging = '/etc/nginx/panel/staging'

/** Read by the machine's own nginx.conf. */
export const sharedFile = '/etc/nginx/conf.d/panel.conf'

/** The configuration of a test: what is live and what is staged, and none of the machine's own. */
export const checkFile = '/etc/nginx/panel/check.conf'

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

export const renderCheck = (): string => `# Written by the panel, which overwrites changes.
include /etc/nginx/modules-enabled/*.conf;
events {}
http {
    include ${sharedFile};
    include ${staging}/*.conf;
}
`

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
