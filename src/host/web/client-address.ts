import { networksOf } from '../../model/server/trusted-proxies.ts'

// The client's address and scheme, as trusted proxies report them. nginx logs the address and
// passes it to PHP.

type Trust = { trustedProxies: readonly string[] }

/** Renders maps of whether the client of a request uses HTTPS. */
export const renderProxyMaps = ({ trustedProxies }: Trust): string => `\
# The proxy that sent the request, whichever client it reports.
geo $realip_remote_addr $panel_is_proxied {
    default 0;
${networksOf(trustedProxies)
  .map(network => `    ${network} 1;\n`)
  .join('')}}
map $panel_is_proxied$http_x_forwarded_proto $panel_https {
    "~*^1https *(?:,|$)" on;
    default $https;
}
map $panel_https $panel_request_scheme {
    on https;
    default http;
}
`

/**
 * Renders trust in the address that proxies report, as lines of a server. Of several proxies one
 * after the other all are skipped, except with a CDN: its other customers can send requests from
 * its addresses, which may report anything as the client of the first.
 */
export const renderTrust = ({ trustedProxies }: Trust): string =>
  trustedProxies.length === 0
    ? ''
    : `\
${networksOf(trustedProxies)
  .map(network => `    set_real_ip_from ${network};\n`)
  .join('')}\
    real_ip_header X-Forwarded-For;
    real_ip_recursive ${trustedProxies.includes('cloudflare') ? 'off' : 'on'};
`
