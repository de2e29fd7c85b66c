import type { fallbacks } from '../../../model/sites/site-settings.ts'
import { contentTypes } from '../content-types.ts'
import { secrets, sources } from '../never-served.ts'
import type { Line, Scope } from './lines.ts'

// Finds directives that would change what visitors get, but are not applied. Directives for what
// holds here anyway do not count.

/** The context in which a file is read. */
export type Around = {
  /** The folder that the file is in, below the public one: '' or '/blog'. */
  folder: string
  /** Whether the website is set to serve sources. */
  servesSources: boolean
  /** The website's answer to a path that is not a file. */
  fallback: (typeof fallbacks)[number]
  /**
   * Whether a parent folder switches rewriting on, which this one inherits unless it says
   * otherwise.
   */
  isRewriting?: boolean
}

type Applies = (words: string[], line: Line, around: Around) => boolean

const always: Applies = () => true
const never: Applies = () => false

const indexes = ['index.php', 'index.html', 'index.htm']
const ownIndex: Applies = words => {
  const numbers = words.map(word => indexes.indexOf(word))
  return numbers.some((number, index) => number < 0 || number < (numbers[index - 1] ?? 0))
}

const changing = /^\+?(?:all|indexes|execcgi|includes|includesnoexec|multiviews)$/i

/** Decides by directive, named as in Apache, whether it is worth reporting. */
const directives: Record<string, Applies> = {
  // Modes: neither lists folders, and both follow an account's own links.
  Options: words => words.some(word => changing.test(word)),
  DirectoryIndex: ownIndex,
  ErrorDocument: ([status, page = ''], _line, around) =>
    status !== '404' || !pagesOf404(around).includes(page),
  FallbackResource: ([path = ''], _line, around) =>
    path !== (frontOf(around) ?? 'disabled') && path.toLowerCase() !== 'disabled',

  Deny: isOpen,
  Allow: ([, what = ''], line, around) => what.toLowerCase() !== 'all' && isOpen([], line, around),
  Require: (words, line, around) =>
    (line.isNegated || words.join(' ').toLowerCase() !== 'all granted') &&
    isOpen(words, line, around),
  AuthType: isOpen,

  Redirect: always,
  RedirectMatch: words => !words.some(isOfDotFiles),
  RedirectPermanent: always,
  RedirectTemp: always,

  AddType: ([type = '', ...ends]) =>
    ends.some(end => (isPhp(type) ? !isPhpEnd(end) : typeOf(end) !== type.toLowerCase())),
  AddHandler: ([handler = '', ...ends]) => !isPhp(handler) || !ends.every(isPhpEnd),
  SetHandler: ([handler = ''], { scopes }) =>
    !isPhp(handler) || !scopes.some(({ pattern }) => /^\\?\.?php\$?$|^\\\.php\$$/i.test(pattern)),
  AddDefaultCharset: always,
  // Texts other than pages are sent as UTF-8 anyway.
  AddCharset: ([name = '', ...ends]) =>
    !/^utf-?8$/i.test(name) || ends.some(end => !/utf-8/.test(fullTypeOf(end) ?? '')),

  // Every header reaches PHP.
  SetEnvIf: setsMore,
  SetEnvIfNoCase: setsMore,

  // Accompanies other directives, and does nothing alone.
  ...of(
    'Order Satisfy AuthName AuthUserFile AuthGroupFile AuthBasicProvider RewriteCond ' +
      'RewriteEngine RewriteBase RewriteOptions ExpiresActive ServerSignature CGIPassAuth',
    never,
  ),
  ...of(
    'Header RequestHeader ExpiresByType ExpiresDefault php_value php_flag SetEnv UnsetEnv ' +
      'PassEnv BrowserMatch BrowserMatchNoCase AddOutputFilter AddOutputFilterByType ' +
      'SetOutputFilter AddEncoding AddLanguage DefaultLanguage RemoveHandler RemoveType ' +
      'ForceType DefaultType Action DirectorySlash DirectoryIndexRedirect ' +
      'FileETag LimitRequestBody IndexOptions IndexIgnore AddIcon HeaderName ReadmeName ' +
      'AcceptPathInfo CheckSpelling ContentDigest EnableSendfile ImapMenu XBitHack ' +
      'SSLRequire SSLRequireSSL SSLOptions Substitute InputFilter AddInputFilter ' +
      'SetInputFilter ModPagespeed SecRuleEngine SecFilterEngine',
    always,
  ),
}

/** Returns the path that answers others that are not files; undefined if none does. */
export const frontOf = ({ fallback, folder }: Around): string | undefined =>
  ({ 'index.php': `${folder}/index.php`, 'index.html': '/index.html', none: undefined })[fallback]

// With a page of its own for such paths a website has no error 404 for them.
function pagesOf404({ fallback, folder }: Around): string[] {
  if (fallback === 'index.html') return []
  const scripts = fallback === 'index.php' ? [`${folder}/index.php`] : []
  return folder === '' ? ['/404.html', ...scripts] : scripts
}

function of(names: string, applies: Applies): Record<string, Applies> {
  return Object.fromEntries(names.split(' ').map(name => [name, applies]))
}

const byName = new Map(
  Object.entries(directives).map(([name, applies]) => [name.toLowerCase(), { name, applies }]),
)

/**
 * Returns the name to count a directive under; undefined if it changes nothing. RewriteRule is
 * handled elsewhere.
 */
export function nameOf(line: Line, around: Around): string | undefined {
  const known = byName.get(line.name)
  // An unknown name is not shown: it could be anything.
  if (known === undefined) return 'others'
  return known.applies(line.words, line, around) ? known.name : undefined
}

/** Counts the sections of a file whose order refuses everyone, as they allow and deny no one. */
export function countOrders(lines: readonly Line[], around: Around): number {
  const answered = new Set(
    lines.filter(({ name }) => /^(?:allow|deny)$/.test(name)).map(({ section }) => section),
  )
  // The last order of a section counts.
  const orders = new Map(
    lines.filter(({ name }) => name === 'order').map(line => [line.section, line]),
  )
  return [...orders.values()].filter(
    line =>
      /^(?:allow,deny|mutual-failure)$/i.test(line.words.join('')) &&
      !answered.has(line.section) &&
      isOpen([], line, around),
  ).length
}

// Returns whether a rule about files covers any that visitors would get.
function isOpen(_words: string[], { scopes }: Line, { servesSources }: Around): boolean {
  return !scopes.some(scope => {
    const known = decided.get(scope)
    if (known !== undefined) return known
    const names = namesIn(scope)
    const isHidden = names?.every(name => isClosed(name, servesSources)) ?? false
    decided.set(scope, isHidden)
    return isHidden
  })
}

// A scope covers one file; thousands of lines may be in it.
const decided = new WeakMap<Scope, boolean>()

const closed = `/\\.(?!well-known(?:/|$))|${secrets}`
const closedNames = { no: new RegExp(closed, 'i'), yes: new RegExp(`${closed}|${sources}`, 'i') }

const longestName = 255

const isClosed = (name: string, servesSources: boolean): boolean =>
  name.length <= longestName && closedNames[servesSources ? 'no' : 'yes'].test(`/${name}`)

/** Returns names that represent everything in a scope; undefined if unknown. */
function namesIn({ pattern, isRegex }: Scope): string[] | undefined {
  if (!isRegex) return pattern.startsWith('.') || !/[*?[]/.test(pattern) ? [pattern] : undefined
  if (/^\^\\\.(?![?*{])[^|()]*(?:\([^()]*\)[^|()]*)?$/.test(pattern)) return ['.x']
  const [, start, body] =
    /^(\^|(?:\^?\.\*)?\\\.(?![?*{]))\(?([\w.\\|~-]+)\)?\$$/.exec(pattern) ?? []
  if (start === undefined || body === undefined || /\\[^.]/.test(body)) return undefined
  const before = start === '^' ? '' : 'x.'
  return body.split('|').map(name => before + name.replaceAll('\\.', '.'))
}

/** Returns whether a path's pattern matches only names that begin with a dot. */
export const isOfDotFiles = (pattern: string): boolean =>
  /^(?:\(\?i\))?\^?(?:\/|\(\^\|\/\)|\(\?:\^\|\/\))\\\.(?![?*{])[^|]*$/.test(pattern) ||
  pattern === '/\\.|^\\.(?!well-known/)'

// A version in it would select one.
const isPhp = (handler: string): boolean => /^(?:application\/)?x-httpd-php$/i.test(handler)
const isPhpEnd = (end: string): boolean => /^\.?php$/i.test(end)

function setsMore(words: string[]): boolean {
  return !/^authorization$/i.test(words[0] ?? '') || !words.slice(2).every(isAuthorization)
}

const isAuthorization = (word: string): boolean => /^HTTP_AUTHORIZATION=\$[01]$/i.test(word)

const types = new Map(
  [...contentTypes].flatMap(([type, ends]) => ends.map(end => [end, type] as const)),
)

const fullTypeOf = (end: string) => types.get(end.replace(/^\./, '').toLowerCase())
const typeOf = (end: string) => fullTypeOf(end)?.split(';')[0]
