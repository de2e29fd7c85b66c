import { publicFolderOf } from '../accounts/home.ts'
import { accessLog, challengeFile, listenFile, tlsFile } from './nginx-shared.ts'
import { socketOf } from '../php/unit.ts'

// The texts of websites. Pure, so that a test compares text and needs no nginx.

export type Vhost = {
  siteId: string
  domain: string
  username: string
  uid: number
  /** The file with key and certificate, where there is one: then it is served by https too. */
  certificate: string | undefined
}

/** A website that is served. */
export const renderActive = (vhost: Vhost): string => `${headOf(vhost)}
    root ${publicFolderOf(vhost.username, vhost.domain)};
    index index.php index.html;
    # A link to a neighbour's file is not served.
    disable_symlinks if_not_owner;

    location / {
        try_files $uri $uri/ /index.php$is_args$args;
    }

    location ~ /\\. {
        return 404;
    }

    location ~ \\.php$ {
        try_files $uri =404;
        include /etc/nginx/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
        # A request's Proxy header would become the variable that clients take their proxy from.
        fastcgi_param HTTP_PROXY "";
        fastcgi_pass unix:${socketOf(vhost.uid)};
    }
}
`

/** A suspended website: one page, which says that it is not there for now. */
export const renderSuspended = (vhost: Vhost): string => `${headOf(vhost)}
    error_page 503 /suspended.html;

    location / {
        return 503;
    }

    location = /suspended.html {
        internal;
        root /var/lib/panel/pages;
        add_header Retry-After 3600 always;
        add_header Cache-Control no-store always;
    }
}
`

const headOf = ({ siteId, domain, uid, certificate }: Vhost): string => `# Site ${siteId} of user \
${uid}. Written by the panel, which overwrites changes.
server {
    include ${listenFile};
    server_name ${domain} www.${domain};
    set $panel_site ${siteId};
    access_log ${accessLog} panel;
    include ${challengeFile};
${certificate === undefined ? '' : tlsOf(certificate)}`

const tlsOf = (certificate: string): string => `    include ${tlsFile};
    ssl_certificate ${certificate};
    ssl_certificate_key ${certificate};
`
