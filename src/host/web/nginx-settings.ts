import { maxParts } from '../../model/sites/content-policy.ts'
import { webFolder } from './folders.ts'

// The part of nginx's configuration that reads the settings of a website (site-settings.ts).
// $panel_set is the path that the website's link leads to, and maps read values from it.

const values = `^${webFolder}/live/[0-9]{10,}/settings/[0-9a-z.]+/v/`

/** Renders a map of the settings, which is empty for a website without any. */
const mapOf = (name: string, pattern: string, value: string): string => `map $panel_set $${name} {
    "" "";
    "~${values}${pattern}" ${value};
}`

// A header of the application's own is kept as it is.
const headerOf = (header: string, name: string): string => `\
map $upstream_http_${header.toLowerCase().replaceAll('-', '_')} $panel_send_${name} {
    "" $panel_${name};
    default "";
}`

const headers = [
  ['Strict-Transport-Security', 'hsts'],
  ['X-Frame-Options', 'frame'],
  ['Referrer-Policy', 'referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', 'csp'],
] as const

/** Directives that send the headers: a location with another header needs them again. */
export const sentHeaders = headers.map(
  ([header, name]) => `add_header ${header} $panel_send_${name} always;`,
)

const codes = [301, 302, 307, 308] as const

const target = `^${webFolder}/live/[0-9]{10,}/settings/[0-9a-z.]+/t`

// The target of a redirect, as the address that the browser gets. A request may look up two: that
// of its name and that of its path.
const redirectOf = (code: number): string => `map $panel_to $panel_${code} {
    volatile;
    "" "";
    "~${target}/${code}/keep/same/(?<panel_same_${code}>.*)=$" \
$panel_request_scheme://$panel_same_${code}$request_uri;
    "~${target}/${code}/keep/(?<panel_kept_by_${code}>https?)/(?<panel_kept_at_${code}>.*)=$" \
$panel_kept_by_${code}://$panel_kept_at_${code}$request_uri;
    "~${target}/${code}/self/(?<panel_own_${code}>.*)=$" \
$panel_request_scheme://$host/$panel_own_${code};
    "~${target}/${code}/(?<panel_by_${code}>https?)/(?<panel_at_${code}>.*)=$" \
$panel_by_${code}://$panel_at_${code};
}`

// The text of a policy is the names of folders, each with the number of slashes that follow it. A
// part sets the rest for the next one.
const policyParts = Array.from({ length: maxParts }, (_, index) => index + 1)
const policyPart = (number: number): string => `map $panel_csp_rest $panel_csp_${number} {
    "" "";
    "~^(?<panel_csp_text>[^/!]*)!(?:b/|s(?<panel_csp_one>/)|d(?<panel_csp_two>/))\
(?<panel_csp_rest>.*)$" $panel_csp_text$panel_csp_one$panel_csp_two$panel_csp_two;
    default "";
}`

/** nginx maps of the settings. */
export const settingsMaps = `\
${mapOf('panel_flags', '=(?<panel_letters>[a-z]*)/', '$panel_letters')}
${mapOf('panel_hsts_seconds', '=[a-z]*/(?<panel_seconds>[0-9]+)/', '"max-age=$panel_seconds"')}
# Only over HTTPS (RFC 6797, section 7.2).
map $panel_https $panel_hsts {
    on $panel_hsts_seconds;
    default "";
}
${mapOf('panel_frame', '=[a-z]*/[^/]+/(?<panel_framing>[A-Z]+)/', '$panel_framing')}
${mapOf('panel_referrer', '=[a-z]*/[^/]+/[^/]+/(?<panel_policy>[a-z]+[a-z-]*)/', '$panel_policy')}
map $panel_flags $panel_nosniff {
    ~x nosniff;
    default "";
}
${policyParts.map(policyPart).join('\n')}
map $panel_set $panel_csp {
    "" "";
    "~${values}=[a-z]*/(?:[^/]+/){4}=c/(?<panel_csp_rest>.*/)!e/=p" \
"${policyParts.map(number => `$panel_csp_${number}`).join('')}";
    default "";
}
${headers.map(([header, name]) => headerOf(header, name)).join('\n')}

# The name that visitors are redirected to: the domain, or the one with www.
map "$panel_set|$host" $panel_preferred {
    "~${values}=[a-z]*b[a-z]*/(?:[^/]+/){3}(?<panel_bare>[^/]+)/.*\\|www\\.\\k{panel_bare}$" \
$panel_bare;
    "~${values}=[a-z]*w[a-z]*/(?:[^/]+/){3}(?<panel_domain>[^/]+)/.*\\|\\k{panel_domain}$" \
www.$panel_domain;
    default "";
}
# 1 if names of the website are redirected, except for challenges.
map "$panel_flags|$uri" $panel_named {
    "~^[a-z]*\\|/\\.well-known/acme-challenge/" "";
    "~^[a-z]*d[a-z]*\\|" 1;
    default "";
}
# Each name answers the challenges for its own certificate.
map $uri $panel_moved {
    ~^/\\.well-known/acme-challenge/ "";
    default $panel_preferred;
}

# 1 for a path in a folder that asks for a password, and if matching fails, for which nginx takes
# the default: visitors choose the path, and PCRE gives up after as many steps. $panel_set has no |.
map "$panel_set|$uri" $panel_guarded {
    "~^\\|" "";
    "~^(?![^|]*/=p/(?:[^|]*:)?(?<panel_asking>/[^:|]++):[^|]*+\\|(?:(?s:.*)(?i:\\.php))?\
\\k{panel_asking}(?:/|$))" "";
    default 1;
}
map "$panel_flags$panel_guarded" $panel_realm {
    "" off;
    "~^[b-oq-z]*1?$" off;
    "~^[b-z]*$" off;
    default Restricted;
}

# 1 for a path in a folder that an .htaccess file closes, and if matching fails, as above.
map "$panel_closing|$uri" $panel_refused {
    "~^[^|]*\\|/\\.well-known/acme-challenge/" "";
    "~^(?![^|]*/c/(?:[^|]*:)?(?<panel_shut>/[^:|]++):[^|]*+\\|\\k{panel_shut}(?:/|$))[^|]" "";
    default 1;
}
${codes.map(redirectOf).join('\n')}

# The answer to a path that is not a file.
map $panel_flags $panel_fallback {
    "" $panel_front;
    ~h @index;
    ~n @none;
    default $panel_front;
}
`

const serveSources = (condition: string): string => `if (${condition}) {
        set $panel_closed ${webFolder}/nowhere;
        set $panel_open $panel_root;
    }`

/**
 * Directives of the server, before any location is chosen. They are executed again after an
 * internal redirect, such as one to an error page, which has its settings already.
 */
export const settingsChecks = `\
    # These are set in locations.
    uninitialized_variable_warn off;
    error_page 418 = @settings;
    set $panel_unread $panel_root/set$panel_set;
    if (-d $panel_unread) {
        return 418;
    }
    ${serveSources('$panel_set ~ "/v/=[a-z]*s"')}
    auth_basic $panel_realm;
    auth_basic_user_file $panel_root/set/users;
    ${sentHeaders.join('\n    ')}
`

const redirects = codes
  .map(
    code => `
        if ($panel_${code}) {
            return ${code} $panel_${code};
        }`,
  )
  .join('')

// After the redirect of the name, if there is one.
const afterName = `if ($panel_moved) {
            return 301 $panel_request_scheme://$panel_moved$request_uri;
        }
        if ($panel_flags ~ r) {
            return 419;
        }
        rewrite ^ $uri last;`

const named = `if ($panel_named) {
            return 420;
        }`

/** The locations in which the settings are looked up, once per request. */
export const settingsLocations = `\
    location @settings {
        error_page 419 = @redirects;
        error_page 420 = @names;
        error_page 422 = @closed;
        root $panel_root/set/values;
        set $panel_set $realpath_root;
        # Never without them, as they may ask for a password.
        if ($panel_set = "") {
            return 500;
        }
        ${serveSources('$panel_flags ~ s').replaceAll('\n', '\n    ')}
        if ($panel_flags ~ c) {
            return 422;
        }
        ${named}
        ${afterName}
    }

    location @closed {
        error_page 403 = @forbidden;
        error_page 419 = @redirects;
        error_page 420 = @names;
        root $panel_root/set/closed;
        set $panel_closing $realpath_root;
        if ($panel_refused) {
            return 403;
        }
        ${named}
        ${afterName}
    }

    location @names {
        error_page 419 = @redirects;
        root $panel_root/set/hosts/$host/=to;
        set $panel_to $realpath_root;${redirects}
        ${afterName}
    }

    location @redirects {
        error_page 418 @404;
        root $panel_root/set/paths$uri/=to;
        set $panel_to $realpath_root;${redirects}
        rewrite ^ $uri last;
    }

    # The start page of an application that reads the path in the browser.
    location @index {
        error_page 418 @404;
        root $panel_root/$panel_entry;
        try_files /index.html @none;
    }
`
