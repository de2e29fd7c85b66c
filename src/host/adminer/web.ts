import { adminerPort } from '../../model/server/host.ts'
import { forwarded, listenOn, tlsWith } from '../web/nginx-parts.ts'
import { ownCertificateFile } from '../web/own-certificate.ts'
import { pageFile } from './page.ts'

// nginx in front of Adminer, on a port of its own: a fault in Adminer is not a fault in the panel.
// Cookies ignore ports, so a browser sends the panel's cookies here too: none of them reaches PHP,
// and no cookie of PHP reaches the browser.

/** Included by the machine's own nginx.conf. */
export const webFile = '/etc/nginx/conf.d/panel-adminer.conf'

/** The socket at which nginx asks the panel's API (src/install/settings.ts). */
const apiSocket = '/run/panel/api.sock'

const withoutBody = `proxy_pass_request_body off;
        proxy_set_header Content-Length "";
        ${forwarded}`

/** Renders the configuration; `php` is the socket of Adminer's PHP. */
export const renderWeb = ({ php, hasIpv6 }: { php: string; hasIpv6: boolean }): string => `\
# Written by the panel, which overwrites changes.

# The cookie of this port.
map $http_cookie $panel_adminer_key {
    "~(?:^|; *)__Host-panel-adminer=(?<panel_key>[A-Za-z0-9_-]{43})(?:;|$)" $panel_key;
}

# One session's slow queries do not block other sessions.
limit_conn_zone $panel_adminer_key zone=panel_adminer:1m;

server {
${listenOn(`${adminerPort} ssl`, hasIpv6)}
    server_name _;
    ssl_certificate ${ownCertificateFile};
    ssl_certificate_key ${ownCertificateFile};
    ${tlsWith('panel_adminer_tls:1m')}
    absolute_redirect off;
    error_page 497 =308 https://$http_host$request_uri;

    # A ticket is a secret.
    access_log off;
    error_log /var/log/nginx/error.log crit;
    client_max_body_size 17m;

    location = / {
        limit_conn panel_adminer 6;
        auth_request /session;
        auth_request_set $panel_adminer_user $upstream_http_panel_user;
        auth_request_set $panel_adminer_database $upstream_http_panel_database;
        error_page 401 403 = @over;
        error_page 502 504 = @down;
        include /etc/nginx/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME ${pageFile};
        fastcgi_param SCRIPT_NAME /;
        fastcgi_param HTTP_HOST $host;
        fastcgi_param HTTP_COOKIE "";
        fastcgi_param HTTP_AUTHORIZATION "";
        fastcgi_param HTTP_PROXY "";
        fastcgi_param HTTP_X_FORWARDED_PREFIX "";
        fastcgi_param PANEL_USER $panel_adminer_user;
        fastcgi_param PANEL_DATABASE $panel_adminer_database;
        fastcgi_param PANEL_KEY $panel_adminer_key;
        fastcgi_hide_header Set-Cookie;
        fastcgi_hide_header Clear-Site-Data;
        fastcgi_hide_header X-Accel-Redirect;
        fastcgi_ignore_headers X-Accel-Redirect X-Accel-Limit-Rate X-Accel-Charset;
        fastcgi_read_timeout 310s;
        fastcgi_pass unix:${php};
        add_header Cache-Control "no-store, private" always;
        add_header Referrer-Policy same-origin always;
    }

    # The API finds the session by the browser's cookie; the body is not sent.
    location = /session {
        internal;
        proxy_pass http://unix:${apiSocket}:/adminer/session;
        ${withoutBody}
    }

    location ~ "^/(?<panel_adminer_way>open/[A-Za-z0-9_-]{43}|over)$" {
        error_page 502 504 = @down;
        proxy_pass http://unix:${apiSocket}:/adminer/$panel_adminer_way;
        ${withoutBody}
    }

    location @over {
        return 303 /over;
    }

    location @down {
        default_type text/plain;
        return 503 "Adminer does not answer; try again soon\\n";
    }

    location / {
        return 404;
    }
}
`
