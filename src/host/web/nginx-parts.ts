// Lines that several of the panel's configurations of nginx have, each below four spaces.

/** Listens at a port, `443 ssl` say, by IPv4, and by IPv6 where the machine has it. */
export const listenOn = (portAndKind: string, hasIpv6: boolean): string =>
  ['', ...(hasIpv6 ? ['[::]:'] : [])].map(any => `    listen ${any}${portAndKind};`).join('\n')

/** Keeps sessions in a zone of nginx's shared memory, `panel:20m` say. */
export const sessionsIn = (zone: string): string => `ssl_session_cache shared:${zone};
    # Their key would stay the same without a reload.
    ssl_session_tickets off;`

/** What is spoken by TLS. */
export const tlsWith = (zone: string): string => `ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;
    ssl_prefer_server_ciphers off;
    ${sessionsIn(zone)}`

/** Tells the API what a client has asked for, and from where. */
export const forwarded = `proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto https;`
