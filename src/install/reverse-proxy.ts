import { rmSync } from 'node:fs'
import { ensureFile, readFile } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import { hasIpv6 } from '../host/web/nginx-prepare.ts'
import { forwarded, listenOn, tlsWith } from '../host/web/nginx-parts.ts'
import { acmeLink } from '../host/web/folders.ts'
import { isGood, ownCertificateFile } from '../host/web/own-certificate.ts'
import { makeOwnCertificate } from '../host/web/self-signed.ts'
import { uploadPaths } from '../model/operations/resource-kinds.ts'
import type { InstallStep, Plan } from './plan.ts'
import { apiSocket, portalPort } from './settings.ts'

// nginx in front of the API: only nginx may reach its socket.

/** Included by the machine's own nginx.conf, next to the websites' file. */
export const reverseProxyFile = '/etc/nginx/conf.d/panel-api.conf'

export const reverseProxyStep: InstallStep = {
  name: 'front',
  does: ({ hostname }) => `Serve the panel through nginx at ${hostname}, port ${portalPort}`,
  act: plan => ensureReverseProxy(plan),
}

/** Writes nginx's configuration for this release. */
export async function ensureReverseProxy({
  hostname,
  machine,
}: Pick<Plan, 'hostname' | 'machine'>): Promise<void> {
  if (!isGood(readFile(ownCertificateFile), hostname, new Date())) {
    await ensureFile(ownCertificateFile, await makeOwnCertificate(hostname, new Date()), 0o600)
  }
  const before = readFile(reverseProxyFile)
  await ensureFile(
    reverseProxyFile,
    renderReverseProxy({ hostname, hasIpv6: hasIpv6(machine) }),
    0o644,
  )
  try {
    await run('nginx', ['-t', '-q'])
  } catch (error) {
    // nginx must be able to start after a power cut.
    if (before === undefined) rmSync(reverseProxyFile)
    else await ensureFile(reverseProxyFile, before, 0o644)
    throw error
  }
  // Reload again in any case: an earlier run may have been killed before it.
  await run('systemctl', ['reload-or-restart', '--', 'nginx.service'], { timeoutMs: 60_000 })
}

/** Renders nginx's configuration for the panel itself. */
export const renderReverseProxy = ({
  hostname,
  hasIpv6,
}: ReverseProxy): string => `# Written by the panel, which \
overwrites changes.

# As for websites, for the panel's own name (src/host/web/nginx.ts).
map $realpath_root $panel_own_thumbprint {
    "~/acme/(?<panel_own_print>[A-Za-z0-9_-]{43})$" $panel_own_print;
}

server {
${listenOn('80', hasIpv6)}
    server_name ${hostname};
    access_log off;

    location / {
        return 308 https://${hostname}:${portalPort}$request_uri;
    }

    location ~ "^/\\.well-known/acme-challenge/(?<panel_own_token>[A-Za-z0-9_-]{16,128})$" {
        root ${acmeLink};
        default_type text/plain;
        if ($panel_own_thumbprint = "") {
            return 404;
        }
        return 200 "$panel_own_token.$panel_own_thumbprint";
    }
}

server {
${listenOn(`${portalPort} ssl`, hasIpv6)}
    server_name _;
    ssl_certificate ${ownCertificateFile};
    ssl_certificate_key ${ownCertificateFile};
    ${tlsWith('panel_api:2m')}

    # Requests by http:// instead of https://.
    error_page 497 =308 https://$http_host$request_uri;

    # A sign-on link is a secret; the API itself logs requests, without it.
    access_log off;
    error_log /var/log/nginx/error.log crit;
    # Above the API's limit, which has its own error for more.
    client_max_body_size 1m;

    # A file is passed on as it arrives: the API has checked its sender and size by then.
    location ~ "${uploadPaths.join('|')}" {
        client_max_body_size 0;
        proxy_request_buffering off;
        proxy_pass http://unix:${apiSocket};
        ${forwarded}
        proxy_read_timeout 90s;
        proxy_next_upstream off;
        error_page 502 504 = @down;
    }

    location / {
        proxy_pass http://unix:${apiSocket};
        ${forwarded}
        # A write waits up to a minute for its work, which is the API's maximum.
        proxy_read_timeout 90s;
        # Only the API knows whether a request may be sent again.
        proxy_next_upstream off;
        error_page 502 504 = @down;
    }

    location @down {
        default_type application/json;
        add_header Retry-After 5 always;
        return 503 '{"error":"The panel is not running; try again shortly"}';
    }
}
`

type ReverseProxy = { hostname: string; hasIpv6: boolean }
