import { contentTypes } from '../content-types.ts'
import { secrets, sources } from '../never-served.ts'
import type { Line, Scope } from './lines.ts'

// Which directives would change what visitors get, and are not applied. Those that say what is so
// here anyway are none of them.

/** What a file is read for. */
export type Around = {
  /** The folder that it is in, below the public one: '' or '/blog'. */
  folder: string
  /** Whether the website is set to serve sources. */
  servesSources: boolean
  /** Whether the folders above it rewrite, which it does too where it does not say. */
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

/** By their names as Apache writes them: whether one is worth telling. */
const directives: Record<string, Applies> = {
  // Modes: neither lists folders, and both follow an account's own links.
  Options: words => words.some(word => changing.test(word)),
  DirectoryIndex: ownIndex,
  ErrorDocument: ([status, page = ''], _line, { folder }) =>
    status !== '404' ||
    ![...(folder === '' ? ['/404.html'] : []), `${folder}/index.php`].includes(page),

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
  // Texts but pages are said to be UTF-8 already.
  AddCharset: ([name = '', ...ends]) =>
    !/^utf-?8$/i.test(name) || ends.some(end => !/utf-8/.test(fullTypeOf(end) ?? '')),

  // Every header reaches PHP.
  SetEnvIf: setsMore,
  SetEnvIfNoCase: setsMore,

  // What comes with others, and does nothing alone.
  ...of(
    'Order Satisfy AuthName AuthUserFile AuthGroupFile AuthBasicProvider RewriteCond ' +
      'RewriteEngine RewriteBase RewriteOptions ExpiresActive ServerSignature CGIPassAuth',
    never,
  ),
  ...of(
    'Header RequestHeader ExpiresByType ExpiresDefault php_value php_flag SetEnv UnsetEnv ' +
      'PassEnv BrowserMatch BrowserMatchNoCase AddOutputFilter AddOutputFilterByType ' +
      'SetOutputFilter AddEncoding AddLanguage DefaultLanguage RemoveHandler RemoveType ' +
      'ForceType DefaultType Action DirectorySlash DirectoryIndexRedirect FallbackResource ' +
      'FileETag LimitRequestBody IndexOptions IndexIgnore AddIcon HeaderName ReadmeName ' +
      'AcceptPathInfo CheckSpelling ContentDigest EnableSendfile ImapMenu XBitHack ' +
      'SSLRequire SSLRequireSSL SSLOptions Substitute InputFilter AddInputFilter ' +
      'SetInputFilter ModPagespeed SecRuleEngine SecFilterEngine',
    always,
  ),
}

function of(names: string, applies: Applies): Record<string, Applies> {
  return Object.fromEntries(names.split(' ').map(name => [name, applies]))
}

const byName = new Map(
  Object.entries(directives).map(([name, applies]) => [name.toLowerCase(), { name, applies }]),
)

/** What a directive counts as; undefined where it changes nothing. RewriteRule is another's. */
export function nameOf(line: Line, around: Around): string | undefined {
  const known = byName.get(line.name)
  // A name that is unknown is not shown: it may be anything.
  if (known === undefined) return 'others'
  return known.applies(line.words, line, around) ? known.name : undefined
}

/** How many sections of a file refuse everybody by their order, as they allow and deny nobody. */
export function countOrders(lines: readonly Line[], around: Around): number {
  const answered = new Set(
    lines.filter(({ name }) => /^(?:allow|deny)$/.test(name)).map(({ section }) => section),
  )
  // The last of a section is its order.
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

// Whether a rule about files is about any that visitors would get.
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

// A scope is of one file; thousands of lines may be in it.
const decided = new WeakMap<Scope, boolean>()

const closed = `/\\.(?!well-known(?:/|$))|${secrets}`
const closedNames = { no: new RegExp(closed, 'i'), yes: new RegExp(`${closed}|${sources}`, 'i') }

const longestName = 255

const isClosed = (name: string, servesSources: boolean): boolean =>
  name.length <= longestName && closedNames[servesSources ? 'no' : 'yes'].test(`/${name}`)

/** Names that stand for all that a scope is about; undefined where that is not known. */
function namesIn({ pattern, isRegex }: Scope): string[] | undefined {
  if (!isRegex) return pattern.startsWith('.') || !/[*?[]/.test(pattern) ? [pattern] : undefined
  if (/^\^\\\.(?![?*{])[^|()]*(?:\([^()]*\)[^|()]*)?$/.test(pattern)) return ['.x']
  const [, start, body] =
    /^(\^|(?:\^?\.\*)?\\\.(?![?*{]))\(?([\w.\\|~-]+)\)?\$$/.exec(pattern) ?? []
  if (start === undefined || body === undefined || /\\[^.]/.test(body)) return undefined
  const before = start === '^' ? '' : 'x.'
  return body.split('|').map(name => before + name.replaceAll('\\.', '.'))
}

/** Whether a pattern of a path is of names that begin with a dot. */
export const isOfDotFiles = (pattern: string): boolean =>
  /^(?:\(\?i\))?\^?(?:\/|\(\^\|\/\)|\(\?:\^\|\/\))\\\.(?![?*{])[^|]*$/.test(pattern) ||
  pattern === '/\\.|^\\.(?!well-known/)'

// A version in it would choose one.
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
