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
export const tlsFile = '/etc/nginx/panel/tls.conf'
export const challengeFile = '/etc/nginx/panel/challenge.conf'

/** What websites answer a certificate authority with; no file before the first certificate. */
export const thumbprintFile = '/var/lib/panel/acme-thumbprint'

const defaultOn = (portAndKind: string, hasIpv6: boolean): string =>
  ['', ...(hasIpv6 ? ['[::]:'] : [])]
    .map(any => `    listen ${any}${portAndKind} default_server;`)
    .join('\n')

export const renderShared = (hasIpv6: boolean): string => `# Written by the panel, which \
overwrites changes.
server_names_hash_max_size 65536;
server_names_hash_bucket_size 128;

# One log for all sites: one each would be an open file each in every process.
log_format panel '$msec $panel_site $bytes_sent $request_length $status';

# A name that no site has must not fall into somebody's site.
server {
${defaultOn('80', hasIpv6)}
    server_name _;
    set $panel_site 0;
    access_log off;
    return 421;
}

# Without a certificate for the name there is nothing to say.
server {
${defaultOn('443 ssl', hasIpv6)}
    server_name _;
    ssl_reject_handshake on;
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

/**
 * The addresses of a site that has a certificate, and what its visitors' programs have to know.
 * Without HTTP/2: of its connections some are closed at a reload before their first request, and
 * there are many reloads (docs/decisions/0015-certificates.md).
 */
export const renderTls = (hasIpv6: boolean): string => `listen 443 ssl;
${hasIpv6 ? 'listen [::]:443 ssl;\n' : ''}ssl_protocols TLSv1.2 TLSv1.3;
ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;
ssl_prefer_server_ciphers off;
ssl_session_cache shared:panel:10m;
ssl_session_tickets off;
`

/**
 * How a site proves to a certificate authority that it is here, suspended or not: it answers any
 * challenge of the server's own account there (RFC 8555, section 8.3), so no file and no reload is
 * needed for one.
 */
export const renderChallenge = (thumbprint: string | undefined): string => `\
location ~ "^/\\.well-known/acme-challenge/([A-Za-z0-9_-]{16,128})$" {
    default_type text/plain;
    return ${thumbprint === undefined ? '404' : `200 "$1.${thumbprint}"`};
}
`
