import { rmSync } from 'node:fs'
import { ensureFile, readFile } from '../host/tools/files.ts'
import { run } from '../host/tools/run.ts'
import { hasIpv6 } from '../host/web/nginx-prepare.ts'
import { isGood, makeOwnCertificate } from './front-certificate.ts'
import type { InstallStep } from './plan.ts'
import { apiSocket, portalPort } from './settings.ts'

// nginx in front of the API: it alone may reach its socket.

/** Key and certificate of the panel itself. */
export const certificateFile = '/etc/panel/tls/panel.pem'

/** Read by the machine's own nginx.conf, beside the one of the websites. */
export const frontFile = '/etc/nginx/conf.d/panel-api.conf'

export const frontStep: InstallStep = {
  name: 'front',
  does: ({ hostname }) => `Have nginx answer for the panel on port ${portalPort}, as ${hostname}`,
  async act({ hostname, machine }) {
    if (!isGood(readFile(certificateFile), hostname, new Date())) {
      await ensureFile(certificateFile, await makeOwnCertificate(hostname, new Date()), 0o600)
    }
    const before = readFile(frontFile)
    await ensureFile(frontFile, renderFront({ hasIpv6: hasIpv6(machine) }), 0o644)
    try {
      await run('nginx', ['-t', '-q'])
    } catch (error) {
      // nginx has to be able to start after a power cut.
      if (before === undefined) rmSync(frontFile)
      else await ensureFile(frontFile, before, 0o644)
      throw error
    }
    // The last effect is made again: whoever was killed may have been killed before it.
    await run('systemctl', ['reload-or-restart', '--', 'nginx.service'], { timeoutMs: 60_000 })
  },
}

/** nginx's configuration for the panel itself. */
export const renderFront = ({ hasIpv6 }: { hasIpv6: boolean }): string => `# Written by the panel, \
which overwrites changes.
server {
${['', ...(hasIpv6 ? ['[::]:'] : [])].map(any => `    listen ${any}${portalPort} ssl;`).join('\n')}
    server_name _;
    ssl_certificate ${certificateFile};
    ssl_certificate_key ${certificateFile};
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;
    ssl_prefer_server_ciphers off;
    ssl_session_cache shared:panel_api:2m;
    ssl_session_tickets off;

    # Whoever forgot the s.
    error_page 497 =308 https://$http_host$request_uri;

    # A sign-on link is a secret; the API itself logs what was asked, without it.
    access_log off;
    error_log /var/log/nginx/error.log crit;
    # Above what the API takes, which has words of its own for more.
    client_max_body_size 1m;

    location / {
        proxy_pass http://unix:${apiSocket};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto https;
        # A write waits for its work up to a minute; the API knows no longer one.
        proxy_read_timeout 90s;
        # Only the API knows whether a request may be sent again.
        proxy_next_upstream off;
        error_page 502 504 = @down;
    }

    location @down {
        default_type application/json;
        add_header Retry-After 5 always;
        return 503 '{"error":"The panel is not up; try again soon"}';
    }
}
`
