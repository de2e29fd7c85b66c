// Lines shared by several of the panel's nginx configurations, each indented by four spaces.

/** Renders `listen` for a port, such as `443 ssl`, for IPv4, and for IPv6 if the machine has it. */
export const listenOn = (portAndKind: string, hasIpv6: boolean): string =>
  ['', ...(hasIpv6 ? ['[::]:'] : [])].map(any => `    listen ${any}${portAndKind};`).join('\n')

/** Renders the TLS session cache in a zone of nginx's shared memory, such as `panel:20m`. */
export const sessionsIn = (zone: string): string => `ssl_session_cache shared:${zone};
    # The key of tickets would not change without a reload.
    ssl_session_tickets off;`

/** Renders the TLS versions and session settings. */
export const tlsWith = (zone: string): string => `ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;
    ssl_prefer_server_ciphers off;
    ${sessionsIn(zone)}`

/** Passes the request's address and scheme to the API. */
export const forwarded = `proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto https;`
