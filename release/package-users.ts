// Reads which users and groups a package makes: from its sysusers.d files (sysusers.d(5)), and from
// its maintainer scripts' calls of adduser(8), addgroup(8), useradd(8) and groupadd(8). A script is
// read word by word, not run: variables count if the script gives them a fixed text.

export type PackageContents = {
  /** The text of all maintainer scripts. */
  scripts: string
  /** The text of all sysusers.d files. */
  sysusers: string
  /** The text of base-passwd's own lists, in the form of passwd(5) and group(5). */
  lists: string
}

/** Returns the names in it that a hosting account could have. */
export function namesIn({ scripts, sysusers, lists }: PackageContents): string[] {
  const all = [...inSysusers(sysusers), ...inScripts(scripts), ...inLists(lists)]
  return [...new Set(all)].filter(name => /^[a-z][a-z0-9_-]{0,30}[a-z0-9]$/.test(name))
}

const inLists = (text: string): string[] => text.split('\n').map(line => line.split(':')[0]!)

// `u NAME …`, `g NAME …`, `m USER GROUP`; a user's number may name its group: `u NAME 12:mail`.
function inSysusers(text: string): string[] {
  return text.split('\n').flatMap(line => {
    const [type = '', name = '', id = ''] = line.trim().split(/\s+/)
    if (!/^[ugm]!?$/.test(type)) return []
    const others = type === 'm' ? [id] : id.split(':').slice(1)
    return [name, ...others].map(one => one.replace(/^"(.*)"$/, '$1'))
  })
}

// The last is OpenStack's: it takes the name of the user that it makes.
const commands = new Set(['adduser', 'addgroup', 'useradd', 'groupadd', 'pkgos_var_user_group'])

// Options whose value is a separate word; of these, the ones that name groups.
const valued = new Set([
  ...['--home', '--shell', '--gecos', '--comment', '--ingroup', '--uid', '--gid', '--firstuid'],
  ...['--lastuid', '--firstgid', '--lastgid', '--conf', '--home-dir', '--base-dir', '--key'],
  ...['--expiredate', '--inactive', '--groups', '--password', '--skel', '--root', '--prefix'],
  ...['-d', '-s', '-c', '-g', '-G', '-u', '-b', '-e', '-f', '-k', '-K', '-p', '-R', '-P', '-h'],
])
const grouping = new Set(['--ingroup', '--gid', '--groups', '-g', '-G'])

type Variables = ReadonlyMap<string, ReadonlySet<string>>

function inScripts(text: string): string[] {
  const joined = text.replace(/\\\n/g, ' ')
  const variables = variablesOf(joined)
  return joined.split('\n').flatMap(line => {
    const words = wordsOf(line)
    return words.flatMap((word, at) => {
      if (!commands.has(word.split('/').at(-1)!)) return []
      const given = words.slice(at + 1).flatMap(one => expanded(one, variables))
      return operands(given, variables)
    })
  })
}

// A variable may hold several options.
function expanded(word: string, variables: Variables): string[] {
  const [, name = ''] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(word) ?? []
  const [text = word] = variables.get(name) ?? []
  return /^-\S*\s/.test(text) ? wordsOf(text) : [word]
}

function operands(words: readonly string[], variables: Variables): string[] {
  const found: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (/^([;&|)}]|[0-9]?[<>])/.test(word)) break
    const [option = '', value] = word.split('=', 2)
    if (word.startsWith('-')) {
      const given = valued.has(option) ? (value ?? words[(at += 1)] ?? '') : ''
      if (grouping.has(option))
        found.push(...given.split(',').flatMap(one => values(one, variables)))
    } else found.push(...values(word, variables))
  }
  return found
}

/** Returns the possible values of a word, from the fixed texts of the variables in it. */
function values(word: string, variables: Variables): string[] {
  const reference = /\$(?:\{([A-Za-z_]\w*)(?::?[-=]([^}]*))?\}|([A-Za-z_]\w*))/.exec(word)
  if (reference === null) return [word]
  const [whole, braced, otherwise, plain] = reference
  const known = [...(variables.get(braced ?? plain!) ?? [])]
  const all = otherwise === undefined ? known : [...known, otherwise]
  return all.flatMap(value => {
    const rest = word.replace(whole, () => value)
    return rest.length < 100 && !value.includes('$') ? values(rest, variables) : []
  })
}

function variablesOf(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const add = (name: string, value: string) =>
    found.set(name, (found.get(name) ?? new Set()).add(value))
  const assigned =
    /(?:^|[\s;({])(?:export |readonly |local )?(\w+)=("[^"\n]*"|'[^'\n]*'|[^\s;"'`()&|]+)/gm
  for (const [, name, value = ''] of text.matchAll(assigned)) {
    add(name!, value.replace(/^(["'])(.*)\1$/, '$2'))
  }
  for (const [, name, value = ''] of text.matchAll(/\$\{([A-Za-z_]\w*):?[-=]([^}$]+)\}/g)) {
    add(name!, value.replace(/^(["'])(.*)\1$/, '$2'))
  }
  for (const [, name, list = ''] of text.matchAll(/\bfor ([A-Za-z_]\w*) in ([^;\n]+)/g)) {
    // The output of another command is unknown.
    if (/`|\$\(/.test(list)) continue
    for (const value of list.split(/\s+/)) add(name!, value.replace(/^(["'])(.*)\1$/, '$2'))
  }
  // Variables that refer to other variables.
  for (const [name, all] of found) {
    for (const value of [...all]) {
      if (!value.includes('$')) continue
      all.delete(value)
      for (const one of values(value, found)) if (!one.includes('$')) all.add(one)
    }
    if (all.size === 0) found.delete(name)
  }
  return found
}

function wordsOf(line: string): string[] {
  const found: string[] = []
  const pattern =
    /(?:"[^"]*"|'[^']*'|\$\{[^}]*\}|\$\([^()]*\)|[^\s;&|()<>"'`])+|[;&|()<>`]+|(?<=\s)[0-9]>/g
  for (const [word] of line.matchAll(pattern)) {
    if (word.startsWith('#')) break
    found.push(word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  }
  return found
}
