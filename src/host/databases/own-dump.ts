import { Transform } from 'node:stream'

// Removes from a dump its references to other users and databases. A dump names the users who made
// its views, routines and triggers (DEFINER), which only those users may do: without the name, the
// importing user becomes the definer. The clause is removed only at the beginning of statements,
// where there is no data: quoted text and comments are skipped the same way as in MariaDB. From
// `USE` of another database on, the client skips everything, and the panel reports that.

export type OwnDump = { stream: Transform; reported: () => string[] }

/** Returns the dump as one of this database only. */
export function ownDump(database: string): OwnDump {
  const others = new Set<string>()
  const scan = scanner(name => {
    if (name !== database && others.size < maxReported) others.add(name.slice(0, 64))
  })
  let pending = ''
  const take = (more: string, isLast: boolean): Buffer => {
    const text = pending + more
    const { kept, upTo } = scan(text, isLast)
    pending = text.slice(upTo)
    return Buffer.from(kept, 'latin1')
  }
  return {
    // Byte for byte: each is a character.
    stream: new Transform({
      transform: (chunk: Buffer, _encoding, next) =>
        next(null, take(chunk.toString('latin1'), false)),
      flush: next => next(null, take('', true)),
    }),
    reported: () =>
      [...others].map(name => `USE ${name}: the rest is for another database and was skipped`),
  }
}

const maxReported = 20

// Text examined at once: names and the text around them are shorter.
const window = 1_024

type Within = 'code' | "'" | '"' | '`' | 'line' | 'block'

/** Scans a text piece by piece; returns the part to keep, and where the next piece begins. */
function scanner(onUse: (name: string) => void) {
  let within: Within = 'code'
  let part: 'start' | 'head' | 'body' = 'start'
  let delimiter = ';'
  let plain = plainBefore(delimiter)
  // Whether the scanner is in a comment whose text is executed.
  let isMarked = false
  let isOff = false

  // Reads one token of code; returns where it ends, and whether to leave it out.
  const step = (text: string, at: number): { end: number; isLeftOut?: true } => {
    const found = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at
      return pattern.exec(text)
    }
    const to = (match: RegExpExecArray | null): { end: number } => ({
      end: at + Math.max(1, match?.[0].length ?? 1),
    })
    if (text.startsWith(delimiter, at)) {
      part = 'start'
      return { end: at + delimiter.length }
    }
    const letter = text.charAt(at)
    if (letter === "'" || letter === '"' || letter === '`') {
      within = letter
      part = 'body'
      return to(null)
    }
    const comment = found(comments)
    if (comment !== null) {
      const [opened, version = ''] = comment
      if (!opened.startsWith('/*')) within = 'line'
      else if (!opened.includes('!') || isOfOthers(Number(version))) within = 'block'
      else isMarked = true
      return to(comment)
    }
    if (isMarked && text.startsWith('*/', at)) {
      isMarked = false
      return { end: at + 2 }
    }
    const isUse = part === 'start' && found(uses)
    if (isUse) onUse(isUse[1]!.replaceAll('`', ''))
    if (letter === '\\') return { end: at + 2 }
    const word = found(words)
    if (word === null) {
      if (!/[\s=*/]/.test(letter)) part = 'body'
      return to(null)
    }
    const keyword = word[0].toLowerCase()
    if (part === 'start') {
      const changed = keyword === 'delimiter' ? found(delimiters) : null
      if (changed !== null) {
        delimiter = changed[1]!
        plain = plainBefore(delimiter)
        return to(changed)
      }
      // From here on, the ends of quoted text are unknown.
      isOff ||= ['set', 'charset'].includes(keyword) && isStrange(upTo(text, at, delimiter))
      part = keyword === 'create' || keyword === 'alter' ? 'head' : 'body'
    } else if (part === 'head') {
      const clause = keyword === 'definer' ? found(definers) : null
      if (clause !== null) return { ...to(clause), isLeftOut: true }
      if (!ofHeads.has(keyword)) part = 'body'
    }
    return to(word)
  }

  return (text: string, isLast: boolean): { kept: string; upTo: number } => {
    let kept = ''
    let from = 0
    let at = 0
    while (at < text.length && !isOff) {
      if (within !== 'code') {
        const { end, isOver } = endOf(within, text, at)
        if (isOver) within = 'code'
        // The rest has no meaning by itself.
        else if (!isLast || end === at) {
          at = end
          break
        }
        at = end
        continue
      }
      if (part === 'body') {
        plain.lastIndex = at
        plain.test(text)
        at = plain.lastIndex
      }
      if (at === text.length || (!isLast && text.length - at < window)) break
      const { end, isLeftOut } = step(text, at)
      if (isLeftOut) {
        kept += text.slice(from, at)
        from = end
      }
      at = end
    }
    const upTo = isOff || isLast ? text.length : Math.min(at, text.length)
    return { kept: kept + text.slice(from, upTo), upTo }
  }
}

const name = String.raw`(?:'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|\`(?:[^\`]|\`\`)*\`|[\w$.%-]+)`
const user = String.raw`(?:current_(?:user|role)(?:\s*\(\s*\))?|${name}(?:\s*@\s*${name})?)`
const definers = new RegExp(String.raw`definer\s*=\s*${user}`, 'iy')
const uses = /(?:use|\\u)\s+(`[^`]*`|[^\s;`]+)/iy
const words = /[\w$\x80-\xff]+/y
const delimiters = /delimiter[ \t]+([^\s'"`\\]{1,16})[^\n]*/iy
const comments = /#|--(?=[\0-\x20]|$)|\/\*(?:M?!(\d{5,6})?)?/y
const ofHeads = new Set(['or', 'replace', 'algorithm', 'undefined', 'merge', 'temptable'])

// Comments for MySQL versions, and for later versions than exist: MariaDB skips those.
const isOfOthers = (version: number): boolean =>
  (version >= 50_700 && version <= 99_999) || version >= 990_000

// Text that has no meaning in the middle of a statement.
const plainBefore = (delimiter: string): RegExp =>
  new RegExp(`[^'"\`#*/\\\\${delimiter.charAt(0).replace(/[\]^-]/, '\\$&')}-]*`, 'y')

// A backslash no longer escapes, or is part of a letter.
const isStrange = (statement: string): boolean =>
  /no_backslash_escapes|gbk|sjis|cp932|big5/i.test(statement)

const upTo = (text: string, at: number, delimiter: string): string => {
  const end = text.indexOf(delimiter, at)
  return text.slice(at, end < 0 ? at + window : end)
}

// Returns where text that is not code ends, as far as it is in the window.
function endOf(within: Within, text: string, at: number): { end: number; isOver: boolean } {
  if (within === "'" || within === '"') {
    const inside = within === "'" ? insideSingle : insideDouble
    inside.lastIndex = at
    inside.test(text)
    const end = inside.lastIndex
    const isOver = text.charAt(end) === within
    return { end: isOver ? end + 1 : end, isOver }
  }
  const last = within === '`' ? '`' : within === 'line' ? '\n' : '*/'
  const found = text.indexOf(last, at)
  if (found >= 0) return { end: found + last.length, isOver: true }
  return { end: Math.max(at, text.length - (last.length - 1)), isOver: false }
}

const insideSingle = /[^'\\]*(?:\\[^][^'\\]*)*/y
const insideDouble = /[^"\\]*(?:\\[^][^"\\]*)*/y
