import type { SiteView } from '../../model/sites/site-changes.ts'
import { fields } from '../columns.ts'

const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no')

/** Formats a website and its settings for people. */
export const siteWords = (site: SiteView) =>
  fields({
    domain: site.domain,
    ssl: site.ssl,
    'https only': yesOrNo(site.https_only),
    hsts: site.hsts_seconds === 0 ? 'no' : `${site.hsts_seconds} s`,
    'serves sources': yesOrNo(site.serves_sources),
    'document root': site.document_root,
    fallback: site.fallback,
    www: site.www,
    aliases: site.aliases,
    'name redirects': Object.entries(site.name_redirects).map(
      ([name, { to, code, keeps_path }]) =>
        `${name} ${to} (${code}${keeps_path ? ', with the path' : ''})`,
    ),
    redirects: Object.entries(site.redirects).map(
      ([from, { to, code }]) => `${from} ${to} (${code})`,
    ),
    protected: site.protected_paths,
    users: site.users,
    headers: [
      ...(site.headers.nosniff ? ['X-Content-Type-Options: nosniff'] : []),
      ...(site.headers.frame === null ? [] : [`X-Frame-Options: ${site.headers.frame}`]),
      ...(site.headers.referrer === null ? [] : [`Referrer-Policy: ${site.headers.referrer}`]),
      ...(site.headers.csp === null ? [] : [`Content-Security-Policy: ${site.headers.csp}`]),
    ],
    php: phpWords(site.php),
  })

const phpWords = ({ extensions, display_errors, ...php }: SiteView['php']): string[] => [
  `version: ${php.version ?? 'default'}`,
  `memory: ${php.memory_limit_mb === null ? 'default' : `${php.memory_limit_mb} MB`}`,
  `upload: ${php.upload_max_mb} MB`,
  `post: ${php.post_max_mb} MB`,
  `execution: ${php.max_execution_seconds} s`,
  `input vars: ${php.max_input_vars}`,
  `display errors: ${display_errors === null ? 'default' : yesOrNo(display_errors)}`,
  `timezone: ${php.timezone ?? 'default'}`,
  ...Object.entries(extensions).map(([name, isOn]) => `${name}: ${isOn ? 'on' : 'off'}`),
]
