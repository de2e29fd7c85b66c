import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

// Sentences are for people and may change: code goes by codes (`PanelError.code`, its `field`,
// `Warning.code`, an errno, a status). What recognises a text by its wording is found here.

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const listed = (...patterns: string[]): string[] => globSync(patterns, { cwd: root }).sort()

// Names of sentences, or of other programs' output.
const text = String.raw`\b(?:message|sentence|warning|error|reason|advice|stderr|notice)\b`
const methods = 'includes|startsWith|endsWith|match|matchAll|search|replace|replaceAll|indexOf'
const regex = String.raw`(?:/[a-z]*|\b\w+)`
// Lines of other programs have forms that are parsed, too: only words in them are sentences.
const line = String.raw`\b(?:output|lines?|last)\b`
const words = '(?:ERROR|FATAL|error|[a-z]{3,} [a-z]{3,})'
const recognition = new RegExp(
  [
    String.raw`${text}\)?\??\.(?:${methods})\(\s*['"/\x60]`,
    String.raw`${regex}\.(?:test|exec)\(\s*[^()'"]{0,60}${text}(?: \?\? '')?,?\s*\)`,
    String.raw`${text} [!=]== (?:'[^'\n]* [^'\n]*'|\x60[^\x60\n]* [^\x60\n]*\x60)`,
    String.raw`\[[\w.]*\.(?:message|sentence)\]`,
    String.raw`${line}\??\.(?:${methods})\(\s*['"/\x60][^'"/\x60\n]*${words}`,
    String.raw`/[^/\n]*${words}[^/\n]*/[a-z]*\.(?:test|exec)\(\s*${line}`,
  ].join('|'),
  'g',
)

const recognitionsIn = (source: string): string[] =>
  [...source.matchAll(recognition)].map(([words]) => words.replace(/\s+/g, ' '))

// The file's recognition, and why there is no code to go by.
const allowed: Record<string, string> = {
  'src/backup/sealed.ts': 'age-encryption throws plain errors',
  'src/cli/wrong-usage.ts': 'clipanion throws its usage errors as sentences',
  'src/host/databases/dump-client.ts': 'mariadb prints refused statements on one of its streams',
  'src/host/databases/dump.ts': 'mariadb-dump ends with 2, whatever is wrong',
  'src/host/tools/folder-archive.ts': 'tar ends with 2 for a file and for a full disk',
  'src/start/postgres-server.ts': 'shows the last fatal line of a PostgreSQL that does not start',
  'src/db.ts': 'pg has no code for a connection that is lost or silent',
  'src/host/accounts/linux-quota.ts': 'setquota ends with 1, whatever is wrong',
  'src/host/accounts/linux-users.ts':
    'the tools end with the same number for a lock and a full disk',
  'src/install/packages.ts': 'dpkg ends with 2 for its lock and for much else',
  'src/outside/failure.ts': 'undici has one code for all that it does not read',
  'src/queue/logger.ts': 'Graphile Worker logs sentences',
  'src/start/child-log.ts': 'takes control characters out of a line for the terminal',
  'src/web/form-state.ts': "compares the beginning with the field's name, which is a code",
  'src/web/words.ts': 'looks for a full stop at the end',
}

t.test('code that recognises a sentence is found', async t => {
  for (const line of [
    `error.message.startsWith('The plan')`,
    `/plan allows/.test(message)`,
    `known.exec(error.stderr)`,
    `/taken$/.test(\n  error.message,\n)`,
    `if (warning === 'nginx is not running')`,
    `byWords[error.message] ?? other`,
    `warning.includes(\`quota\`)`,
    `line.includes('FATAL')`,
    `/: time stamp is wrong$/.test(line)`,
  ]) {
    t.equal(recognitionsIn(line).length, 1, line)
  }
  for (const line of [
    `error.code === 'invalid'`,
    `log(error.message)`,
    `/^x/.test(name)`,
    `/^([0-9]+) /.exec(line)`,
  ]) {
    t.strictSame(recognitionsIn(line), [], line)
  }
})

t.test('no code recognises a sentence by its wording', async t => {
  const found = new Map<string, string[]>()
  for (const file of listed('{src,tasks,bin,release}/**/*.{ts,js,cjs,eta}')) {
    const all = recognitionsIn(read(file))
    if (all.length > 0) found.set(file, all)
  }
  for (const [file, all] of found) if (!(file in allowed)) t.fail(`${file}: ${all.join(' … ')}`)
  for (const file of Object.keys(allowed)) t.ok(found.has(file), `${file} still does`)
})

t.test('no function of the database does', async t => {
  const column = String.raw`\b\w*(?:error|warning|sentence|message|reason|detail)s?\b`
  // A text that is written down is no question.
  const asked = new RegExp(
    [
      String.raw`\b(?:where|and|or|not|when|if)\s+(?:\w+\.)?${column}\s*(?:=|<>)\s*'[^'\n]* `,
      String.raw`${column}\s*(?:~~?\*?|!~|(?:not\s+)?i?like)\s*'`,
      String.raw`array_remove\(\s*${column}`,
    ].join('|'),
    'gi',
  )
  for (const file of listed('sql/functions/*/*.sql')) {
    t.strictSame(
      [...read(file).matchAll(asked)].map(([words]) => words),
      [],
      file,
    )
  }
})

t.test('no module of a billing system does', async t => {
  const functions = 'str_contains|str_starts_with|str_ends_with|stri?pos|preg_match'
  const asked = new RegExp(String.raw`\b(?:${functions})\([^;]*(?:getMessage|['"]error['"])`, 'g')
  for (const file of listed('billing/**/*.php')) {
    t.strictSame(
      [...read(file).matchAll(asked)].map(([words]) => words),
      [],
      file,
    )
  }
})
