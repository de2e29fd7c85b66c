// The format of the one access log of all websites: what bandwidth counts, and what the logs of
// each website are made of (src/host/usage/log-lines.ts). nginx escapes quotes, line breaks and all
// other control characters, and bytes beyond ASCII. What clients choose is cut, so that an escaped
// line stays below 16 kB.

const cut = (name: string, source: string, maxLength: number): string => `\
map ${source} $panel_log_${name} {
    "~^(?s)(?<panel_log_cut_${name}>.{${maxLength}})." $panel_log_cut_${name};
    default ${source};
}
`

const fields = [
  '$msec $panel_site $bytes_sent $request_length $status $body_bytes_sent $remote_addr',
  '"$panel_log_user"',
  '"$panel_log_request $server_protocol"',
  '"$panel_log_referrer"',
  '"$panel_log_agent"',
  // Whether a script answered: nginx itself answers if PHP does not.
  '"$upstream_header_time"',
]

/** Renders the format as lines of nginx's http block. */
export const renderLogFormat = (): string => `\
${cut('user', '$remote_user', 100)}\
${cut('request', '"$request_method $request_uri"', 2_000)}\
${cut('referrer', '$http_referer', 1_000)}\
${cut('agent', '$http_user_agent', 500)}
# One log for all sites: separate ones would each be an open file in every process.
log_format panel escape=default '${fields.join(' ')}';
`
