import { accessLog } from '../../../src/host/web/nginx.ts'
import { webServer } from '../../../src/host/accounts/users.ts'
import { socketOf } from '../../../src/host/php/instances.ts'

export type Vhosts = {
  names: readonly string[]
  place: string
  uid: number
  ports: { http: number; https: number }
  folder: string
}

/** A configuration of nginx with a server for each website, which does what ours does. */
export const renderVhosts = ({ names, place, uid, ports, folder }: Vhosts): string => `
user ${webServer};
worker_processes auto;
pid ${folder}/nginx.pid;
error_log /dev/null emerg;
events {
    worker_connections 768;
}
http {
    sendfile on;
    tcp_nopush on;
    include /etc/nginx/mime.types;
    gzip on;
    server_names_hash_max_size 65536;
    server_names_hash_bucket_size 128;
    log_format vhosts '$msec $server_name $bytes_sent $request_length $status';
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;
    ssl_prefer_server_ciphers off;
    ssl_session_cache shared:vhosts:20m;
    ssl_session_tickets off;
    keepalive_requests 100000;
${names.map(name => renderVhost(name, { place, uid, ports, folder })).join('')}}
`

const renderVhost = (name: string, { place, uid, ports, folder }: Omit<Vhosts, 'names'>) => `
    server {
        listen ${ports.http};
        listen ${ports.https} ssl http2;
        server_name ${name} www.${name};
        ssl_certificate ${folder}/certs/${name}.pem;
        ssl_certificate_key ${folder}/certs/${name}.pem;
        access_log ${accessLog}.vhosts vhosts;
        root ${place};
        index index.php index.html;
        disable_symlinks if_not_owner;
        client_max_body_size 512m;
        location / {
            try_files $uri $uri/ /index.php$is_args$args;
        }
        location ~ /\\.(?!well-known/) {
            return 404;
        }
        location ~* \\.php$ {
            try_files $uri =404;
            include /etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
            fastcgi_param HTTP_PROXY "";
            fastcgi_pass unix:${socketOf(uid)};
        }
    }
`
