// Parses an .htaccess into lines of words: what Apache reads of it, as far as it has an effect
// there.

export type Line = {
  /** In lower case. */
  name: string
  words: string[]
  /** The <Files> and <FilesMatch> sections around it, the innermost last. */
  scopes: Scope[]
  /**
   * The innermost section around it that is not a condition; none if it covers the whole folder.
   */
  section: Section | undefined
  /** Whether it is in a <RequireNone>. */
  isNegated: boolean
}

export type Scope = { pattern: string; isRegex: boolean }

/** A condition does not affect the meaning of its content. */
export type Section = { name: string; isIdle: boolean; isCondition?: true; scope?: Scope }

/** Returns the directives of a file that an Apache with all its modules follows. */
export function linesOf(text: string): Line[] {
  const found: Line[] = []
  const sections: Section[] = []
  for (const raw of text.replace(/\\\r?\n/g, ' ').split(/\r\n|\n|\r/)) {
    const line = raw.trim()
    const [, end] = /^<\/(\w+)>$/.exec(line) ?? []
    const [, begin, rest = ''] = /^<(\w+)\b(.*)>$/.exec(line) ?? []
    if (end !== undefined) {
      // An end without a beginning has no effect.
      if (sections.at(-1)?.name === end.toLowerCase()) sections.pop()
    } else if (begin !== undefined) {
      if (sections.length < maxSections) sections.push(toSection(begin.toLowerCase(), rest))
    } else if (sections.every(({ isIdle }) => !isIdle)) {
      const [name, ...words] = wordsOf(line)
      if (name === undefined || !/^[a-z]\w{1,63}$/i.test(name)) continue
      const scopes = sections.flatMap(({ scope }) => scope ?? [])
      const section = sections.findLast(({ isCondition }) => isCondition === undefined)
      const isNegated = sections.some(({ name }) => name === 'requirenone')
      found.push({ name: name.toLowerCase(), words, scopes, section, isNegated })
    }
  }
  return found
}

// Deeper nesting does not occur; each line is compared with all sections.
const maxSections = 16

function toSection(name: string, rest: string): Section {
  const words = wordsOf(rest)
  const [first = ''] = words
  switch (name) {
    case 'ifmodule':
      return { name, isIdle: first.startsWith('!'), isCondition: true }
    case 'ifdefine':
      return { name, isIdle: !first.startsWith('!'), isCondition: true }
    case 'ifversion':
      return { name, isIdle: first.startsWith('<'), isCondition: true }
    case 'files':
    case 'filesmatch': {
      const isRegex = name === 'filesmatch' || first === '~'
      const pattern = (first === '~' ? words[1] : first) ?? ''
      return { name, isIdle: false, scope: { pattern, isRegex } }
    }
    default:
      return { name, isIdle: false }
  }
}

/** Splits words as Apache does: those with spaces are quoted. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const [, quoted, plain] of line.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s]+)/g)) {
    const word = quoted ?? plain ?? ''
    if (words.length === 0 && word.startsWith('#')) return []
    words.push(word)
  }
  return words
}
