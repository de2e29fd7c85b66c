import { type Around, frontOf, isOfDotFiles } from './directives.ts'
import type { Line } from './lines.ts'

// Rules of mod_rewrite. Those of a front controller have the same effect as the panel's own rule,
// if they lead to the page that the website is set to answer with for a path that is not a file.

/** Returns whether a file switches its folder's rewriting on or off; undefined if neither. */
export function engineOf(lines: readonly Line[]): boolean | undefined {
  const setting = lastOf(lines, 'rewriteengine')?.toLowerCase()
  return setting === undefined ? undefined : setting === 'on'
}

/**
 * Counts the rules of a file that would rewrite or refuse paths that are served differently here.
 */
export function countRewrites(lines: readonly Line[], around: Around): number {
  const { folder, isRewriting = false } = around
  const front = frontOf(around)
  // Without it, Apache applies none.
  if (!(engineOf(lines) ?? isRewriting)) return 0
  const base = (lastOf(lines, 'rewritebase') ?? folder).replace(/\/$/, '')
  let conditions: string[][] = []
  let endsAtFiles = false
  let count = 0
  for (const { name, words } of lines) {
    if (name === 'rewritecond') conditions.push(words)
    if (name !== 'rewriterule') continue
    const rule = toRule(words)
    const isFront = isFrontOf(rule, base, front) && (endsAtFiles || areNoFile(conditions))
    if (!isFront && !isNothing(rule)) count += 1
    endsAtFiles ||= rule.target === '-' && rule.flags.every(isEnd) && areFile(conditions)
    conditions = []
  }
  return count
}

const lastOf = (lines: readonly Line[], name: string): string | undefined =>
  lines.findLast(line => line.name === name)?.words[0]

type Rule = { pattern: string; target: string; flags: string[] }

function toRule([pattern = '', target = '', ...rest]: string[]): Rule {
  const flags = rest.join('').replace(/^\[|\]$/g, '')
  return { pattern, target, flags: flags === '' ? [] : flags.split(',') }
}

const isEnd = (flag: string): boolean => /^(?:l|last|end|nc|nocase|ne|pt|qsa)$/i.test(flag)

// A header that PHP gets anyway.
const isHeader = (flag: string): boolean => /^(?:e|env)=HTTP_\w+:%\{HTTP:[\w-]+\}$/i.test(flag)

const everything = /^(?:\^|\^?\(?\.[*+]?\)?\$?)$/

function isFrontOf(
  { pattern, target, flags }: Rule,
  base: string,
  front: string | undefined,
): boolean {
  if (!everything.test(pattern) || !flags.every(isEnd)) return false
  const path = target.startsWith('/') ? target : `${base}/${target.replace(/^\.\//, '')}`
  return path === front
}

function isNothing({ pattern, target, flags }: Rule): boolean {
  if (target === '-') {
    if (flags.every(flag => isEnd(flag) || isHeader(flag))) return true
    // The refused names are never served anyway.
    return (
      flags.every(flag => isEnd(flag) || /^(?:f|forbidden)$/i.test(flag)) && isOfDotFiles(pattern)
    )
  }
  if (!flags.every(flag => isEnd(flag) || /^(?:r|redirect)(?:=301)?$/i.test(flag))) return false
  // The requested path itself, or its folder with the missing slash added.
  if (flags.every(isEnd) && target === '$1' && /^\^\(.*\)\$?$/.test(pattern)) return true
  return target.endsWith('/') && pattern === `^${target.slice(0, -1)}$`
}

const test = /^%\{REQUEST_FILENAME\}$|^%\{DOCUMENT_ROOT\}\/?%\{REQUEST_URI\}$/
const harmless = /^!=?\^?\/(?:favicon\\?\.ico|index\\?\.(?:php|html))\$?$/

function areNoFile(conditions: string[][]): boolean {
  const tests = conditions.filter(([what = '']) => test.test(what))
  const others = conditions.filter(([what = '']) => !test.test(what))
  const kinds = tests.map(([, kind]) => kind)
  return (
    kinds.includes('!-f') &&
    kinds.includes('!-d') &&
    kinds.every(kind => /^!-[dfls]$/.test(kind ?? '')) &&
    others.every(([what, pattern = '']) => what === '%{REQUEST_URI}' && harmless.test(pattern)) &&
    conditions.every(({ length }) => length === 2)
  )
}

const areFile = (conditions: string[][]): boolean =>
  conditions.some(([, kind]) => kind === '-f') &&
  conditions.every(
    ([what = '', kind = '', flag = '[OR]'], index) =>
      test.test(what) &&
      /^-[dfls]$/.test(kind) &&
      (flag.toUpperCase() === '[OR]' || index === conditions.length - 1),
  )
