import { acmeLink, suspendedPage, webFolder } from './folders.ts'
import { renderLogFormat } from './access-log-format.ts'
import { renderProxyMaps, renderTrust } from './client-address.ts'
import { renderCompression } from './compression.ts'
import { renderContentTypes } from './content-types.ts'
import { hashedMap } from './hashed-names.ts'
import { renderSetup, renderSetupCertificate } from './mail-setup.ts'
import { listenOn, sessionsIn, tlsWith } from './nginx-parts.ts'
import { servingLocations, servingMaps } from './nginx-serving.ts'
import { settingsChecks, settingsLocations, settingsMaps } from './nginx-settings.ts'
import { basename, dirname } from 'node:path'

// nginx's configuration, the same for all websites: none has a line in it. Each request looks up
// its name in folders (docs/decisions/0028-websites-without-reloads.md).

/** Included by the machine's own nginx.conf. */
export const sharedFile = '/etc/nginx/conf.d/panel.conf'

/** The machine's own configuration. */
export const ownFile = '/etc/nginx/nginx.conf'

/**
 * The access log of all sites. Reading continues where it stopped, so a rotation must rename the
 * file and compress it only one rotation later (`delaycompress`, Debian's own setting).
 */
export const accessLog = '/var/log/nginx/panel-access.log'

const ownInclude = /^[ \t]*include[ \t]+(\/etc\/nginx\/)?conf\.d\/\*\.conf;/m

/**
 * Returns why nginx does not read the panel's file, according to the machine's own; undefined if it
 * does.
 */
export const whyNotIncluded = (own: string | undefined): string | undefined =>
  own === undefined || ownInclude.test(own)
    ? undefined
    : `${ownFile} does not include conf.d/*.conf, so no website would be served`

const ownUser = /^user[ \t]+([^;]*);/m

/** Returns the user of nginx's workers, according to the machine's own configuration. */
export const userIn = (own: string): string | undefined => ownUser.exec(own)?.[1]?.trim()

/** Returns the `user` directive; null if there is none. */
export const userDirective = (own: string): string | null => ownUser.exec(own)?.[0] ?? null

/** Returns the machine's own configuration with another user. */
export const withUser = (own: string, user: string): string =>
  userIn(own) === undefined ? `user ${user};\n${own}` : own.replace(ownUser, `user ${user};`)

export type NginxTraits = {
  hasIpv6: boolean
  /** From 1.25.1 on, a separate directive enables HTTP/2. */
  hasHttp2Directive: boolean
  /** Whether nginx loads Debian's module for Brotli (libnginx-mod-http-brotli-filter). */
  hasBrotli: boolean
  /** Whether the machine's own configuration sets the size below, which may be set once only. */
  setsVariables: boolean
  /** The entries of the administrator's list (src/model/server/trusted-proxies.ts). */
  trustedProxies: readonly string[]
  /** The name of the mail server; null if mail hosting is off. */
  mailHost: string | null
}

/** Returns whether nginx has that directive, according to Debian's package database. */
export function hasHttp2Directive(dpkgStatus: string | undefined): boolean {
  const version = /^Package: nginx\n(?:.+\n)*?Version: (\d+)\.(\d+)\.(\d+)/m.exec(dpkgStatus ?? '')
  if (version === null) return false
  const [major = 0, minor = 0, patch = 0] = version.slice(1).map(Number)
  return major * 1e6 + minor * 1e3 + patch >= 1_025_001
}

const listen = (traits: NginxTraits, portAndKind: string, isDefault: boolean): string =>
  listenOn(`${portAndKind}${isDefault ? ' default_server' : ''}`, traits.hasIpv6)

function listenByTls(traits: NginxTraits, isDefault: boolean): string {
  if (!traits.hasHttp2Directive) return listen(traits, '443 ssl http2', isDefault)
  return `${listen(traits, '443 ssl', isDefault)}\n    http2 on;`
}

// Visitors and customers cause any number of errors, through unknown names; even alerts, when a
// file replaces a folder just as it is requested.
const errorLog = 'error_log /var/log/nginx/error.log emerg;'

const sessions = 'panel:20m'

// By default 1,024 bytes: nginx would warn that the variables below do not fit.
const renderVariables = ({ setsVariables }: NginxTraits): string =>
  setsVariables ? '' : 'variables_hash_max_size 4096;\n'

// A website's own error page. An unused error page stops the inheritance of the others, which would
// loop.
const errorPages = ([403, 404, 502, 504] as const)
  .map(
    status => `\
    location = //${status} {
        internal;
        root $panel_root/$panel_entry;
        error_page 403 404 @${status};
        try_files /${status < 500 ? status : '50x'}.html @${status};
    }

    location @${status} {
        error_page 418 @404;
        return ${status};
    }
`,
  )
  .join('\n')

/** Renders nginx's configuration for a machine. */
export const renderNginx = (traits: NginxTraits): string => `# Written by the panel, which \
overwrites changes.

${renderVariables(traits)}${renderLogFormat()}
# The target of a name, read once per request and kept from one location to the next: reading
# twice could show half a switch.
map $realpath_root $panel_pinned {
    "~^(?<panel_folder>${webFolder}/(?:live|suspended)/[0-9]{10,})$" $panel_folder;
}
map $panel_pinned $panel_site {
    "~/0*(?<panel_number>[1-9][0-9]*)$" $panel_number;
    default 0;
}

# The link in a website's folder that its files are served through: \`http\` or \`https\`.
map $panel_is_plain$scheme $panel_entry {
    volatile;
    ~^1 https;
    default $scheme;
}

# The only names that may become part of a path.
map $ssl_server_name $panel_tls {
${renderSetupCertificate(traits.mailHost)}\
    "~^(?!.*\\.\\.)[a-z0-9][a-z0-9.-]{0,252}$" $ssl_server_name;
    default none;
}

${renderProxyMaps(traits)}
${servingMaps}
# Lets browsers keep some files; others get no such header.
${hashedMap}
${settingsMaps}
# The thumbprint of the panel's account at the certificate authority: the name of a folder.
map $realpath_root $panel_thumbprint {
    "~/acme/(?<panel_print>[A-Za-z0-9_-]{43})$" $panel_print;
}

# Without a certificate for the name, refuse the handshake.
server {
${listenByTls(traits, true)}
    server_name "";
    ${errorLog}
    ssl_reject_handshake on;
    # Sessions are resumed before the name is known: by this server, for all names.
    ${sessionsIn(sessions)}
    set $panel_root "";
    access_log off;
    return 421;
}

server {
${listen(traits, '80', true)}
${listenByTls(traits, false)}
    server_name _ "~^[a-z0-9-]+(\\.[a-z0-9-]+)+$";
    ${errorLog}
    ${tlsWith(sessions)}
    # Resolved up at each handshake, so that a new one needs no reload.
    ssl_certificate ${webFolder}/tls/$panel_tls;
    ssl_certificate_key ${webFolder}/tls/$panel_tls;

    # Every location has its own root; this one is only for resolving the name.
    root ${webFolder}/names/$host;
    set $panel_root $panel_pinned;
    # A name that no site has.
    if ($panel_root = "") {
        return 421;
    }
    # Locations with sources refused, and with sources served.
    set $panel_closed $panel_root;
    set $panel_open ${webFolder}/nowhere;
${settingsChecks}
    # Never the version of nginx.
    server_tokens off;
    # To a folder: a proxy may have another scheme.
    absolute_redirect off;
    access_log ${accessLog} panel if=$panel_site;
${renderTrust(traits)}
    # A link to another account's file is not served. The public folder is itself reached through
    # a link of the account's: a link that replaces the folder must lead to the account's files.
    disable_symlinks if_not_owner from=$panel_root;
    # A cache would serve suspended websites, for as long as it keeps a file.
    open_file_cache off;
    client_max_body_size 512m;
    keepalive_requests 100000;
    index index.php index.html index.htm;
    types_hash_max_size 4096;
    types {
${renderContentTypes()}
    }
    default_type application/octet-stream;
    ${renderCompression(traits)}
    recursive_error_pages on;
    error_page 404 = @none;
    error_page 403 = @forbidden;
    error_page 502 504 = @down;
${renderSetup(traits.mailHost)}
${settingsLocations}
${servingLocations}
    # A site answers any challenge of the server's own account, suspended or not (RFC 8555, section
    # 8.3), so no file is needed for one.
    location ~ "^/\\.well-known/acme-challenge/(?<panel_token>[A-Za-z0-9_-]{16,128})$" {
        root ${acmeLink};
        disable_symlinks off;
        default_type text/plain;
        if ($panel_thumbprint = "") {
            return 404;
        }
        return 200 "$panel_token.$panel_thumbprint";
    }

    location @none {
        root $panel_root/$panel_entry;
        error_page 404 //404;
        error_page 503 //suspended;
        if ($panel_root ~ "^${webFolder}/suspended/") {
            return 503;
        }
        # The site was removed since the request came.
        if (!-d ${webFolder}/names/$host) {
            return 421;
        }
        # Nothing is found by HTTP if the website redirects to HTTPS.
        set $panel_way $panel_entry;
        if (-d $panel_root/https-only) {
            set $panel_way "$panel_entry redirects";
        }
        if ($panel_way != "http redirects") {
            return 404;
        }
        if (-f ${webFolder}/tls/$host) {
            return 301 https://$host$request_uri;
        }
        # A name without a certificate is served by HTTP.
        set $panel_is_plain 1;
        rewrite ^ $uri last;
    }

    # No visitor can request two slashes, as nginx merges them. With a path, unlike with an @ name,
    # a request of any method gets its page as with GET.

${errorPages}
    location @forbidden {
        error_page 403 //403;
        return 403;
    }

    # PHP does not answer: it was stopped, or has failed.
    location @down {
        root $panel_root/limit;
        error_page 503 //suspended;
        error_page 502 //502;
        error_page 504 //504;
        if (-d ${webFolder}/names/$host/suspended) {
            return 503;
        }
        if (!-d ${webFolder}/names/$host) {
            return 421;
        }
        # The version of PHP that it uses is not installed.
        if (-d $panel_root/no-php) {
            return 503;
        }
        # PHP ends a script that takes longer than its package allows, which looks like a crash.
        set $panel_limit $realpath_root;
        if ($panel_late) {
            return 504;
        }
        return 502;
    }

    location = //suspended {
        internal;
        root ${dirname(suspendedPage)};
        disable_symlinks off;
        error_page 418 @404;
        add_header Retry-After 3600 always;
        add_header Cache-Control no-store always;
        try_files /${basename(suspendedPage)} =503;
    }
}
`
