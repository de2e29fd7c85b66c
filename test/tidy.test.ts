import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, normalize } from 'node:path'
import t from 'tap'
import { events } from '../src/model/events/events.ts'
import { operationNames, taskNames } from '../src/model/operations/operation-names.ts'
import { jobs } from '../src/queue/job-list.ts'
import { scheduled } from '../src/queue/schedule.ts'
import { nodeOptions, threads } from '../src/start/process-list.ts'
import { mayImport, open } from './may-import.ts'

// The rules of ARCHITECTURE.md and of our style that a machine can check.

const root = join(import.meta.dirname, '..')
const isCheckout = existsSync(join(root, '.git'))
const files = execFileSync(
  isCheckout ? 'git' : 'find',
  isCheckout
    ? ['ls-files', '--cached', '--others', '--exclude-standard']
    : ['.', '-type', 'f', '-not', '-path', './node_modules/*', '-printf', '%P\\n'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\n')
  .filter(file => file !== '' && existsSync(join(root, file)))

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const code = files.filter(file => extname(file) === '.ts' && !file.endsWith('.d.ts'))
const sources = code.filter(file => !file.startsWith('test/'))
const sql = files.filter(file => extname(file) === '.sql')
const php = files.filter(file => extname(file) === '.php')
const styles = files.filter(file => extname(file) === '.css')

t.test('imports follow the architecture', async t => {
  for (const file of sources) {
    const from = partOf(file)
    const allowed = mayImport[from] ?? []
    for (const target of importsOf(file)) {
      const to = partOf(target)
      const isAllowed =
        to === from ||
        open.includes(to) ||
        allowed.includes('*') ||
        allowed.includes(to) ||
        allowed.some(part => target === `src/${part}.ts`)
      if (!isAllowed) t.fail(`${file} imports ${target}`)
    }
  }
  t.ok(sources.length > 40)
})

t.test('ARCHITECTURE.md says the same of imports', async t => {
  const [, list = '', all] =
    /^(Imports point one way:[^]*?)\.\n(.*) are open to all/m.exec(read('ARCHITECTURE.md')) ?? []
  const named = (text = '') => [...text.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name!).sort()
  t.strictSame(named(all), open.toSorted())
  const rules = list.split(';').map(rule => rule.split('→').map(named))
  const reported = new Map(rules.slice(1).map(([from, to]) => [from?.[0], to]))
  for (const part of Object.keys(mayImport).filter(name => !files.includes(`src/${name}.ts`))) {
    if (['bin', 'model'].includes(part)) continue
    t.strictSame(reported.get(part), mayImport[part]!.map(name => name.split('/')[0]!).sort(), part)
    reported.delete(part)
  }
  t.strictSame([...reported.keys()], [])
})

t.test('no files import each other in a circle, by type or by value', async t => {
  // Modules that are loaded on demand (`import(…)`) are there by then.
  const imports = new Map(sources.map(file => [file, importsOf(file, /from '(\.[^']+)'/g)]))
  const decidable = new Set<string>()
  const follow = (file: string, way: string[]): void => {
    const start = way.indexOf(file)
    if (start >= 0) t.fail([...way.slice(start), file].join(' imports '))
    if (start >= 0 || decidable.has(file)) return
    for (const target of imports.get(file) ?? []) follow(target, [...way, file])
    decidable.add(file)
  }
  for (const file of sources) follow(file, [])
  t.ok(decidable.size > 40)
})

t.test('only the machine knows its kind', async t => {
  for (const file of sources) {
    if (['src/host/machine.ts', 'src/config.ts'].includes(file)) continue
    t.notMatch(read(file), /[!=]== '(sandbox|linux)'/, file)
  }
})

t.test('only wiring code knows the machine beyond its contract', async t => {
  const wiring = ['bin/', 'src/cli/', 'src/backup/']
  for (const file of sources.filter(name => !wiring.some(folder => name.startsWith(folder)))) {
    t.notOk(importsOf(file).includes('src/host/machine.ts'), file)
  }
})

t.test('the user database is read in one place', async t => {
  for (const file of sources.filter(name => name.startsWith('src/host/'))) {
    if (file.endsWith('/user-database.ts')) continue
    t.notMatch(read(file), /'\/etc\/(passwd|group|shadow)'/, file)
  }
})

t.test('the host takes only types and rules from the model', async t => {
  const imports = /^import (?!type)(?:\{[^}]*\}|\* as \w+) from '\.\.\/model\/([^']+)'/gm
  for (const file of sources.filter(name => name.startsWith('src/host/'))) {
    const values = [...read(file).matchAll(imports)].map(match => match[1])
    t.strictSame(values, [], file)
  }
})

t.test('only config reads the environment of the process', async t => {
  // A child's search path and a runtime folder are the machine's, not settings of the panel.
  for (const file of sources) {
    if (file === 'src/config.ts') continue
    t.notMatch(read(file).replace(/\/\/.*$/gm, ''), /process\.env/, file)
  }
})

t.test('only one module of each kind starts processes', async t => {
  for (const file of sources) {
    if (['src/host/tools/run.ts', 'src/pid-lock.ts', 'src/systemd.ts'].includes(file)) continue
    if (file.startsWith('src/start/')) continue
    t.notMatch(read(file), /from 'node:child_process'/, file)
  }
})

t.test('no shell is ever started', async t => {
  for (const file of sources) {
    t.notMatch(read(file), /shell: *true|\bexecSync\b|\bexec\(['"`]|'(ba)?sh', *\['-c'/, file)
  }
})

t.test('every job has its task file, and every task file its job', async t => {
  const tasks = files.filter(file => file.startsWith('tasks/'))
  t.strictSame(
    tasks.map(file => file.replace(/^tasks\/(.*)\.ts$/, '$1')).sort(),
    Object.keys(jobs).sort(),
  )
})

t.test('the schema and the catalogue name the same events and operations', async t => {
  const schema = sql.map(read).join('\n')
  for (const name of Object.keys(events)) t.match(schema, `'${name}'`)
  // The database knows the names of operations from the list itself, and those by the clock never.
  const elsewhere: string[] = [...scheduled.map(({ job }) => job), ...taskNames]
  for (const name of Object.keys(jobs)) {
    if (!elsewhere.includes(name)) t.match(schema, `'${name}'`)
  }
})

t.test('the frame of operations knows no operation and nothing of an account', async t => {
  const functions = ['start_operation', 'finish_operation', 'undo_operation', 'release_operation']
  const frame = [
    ...[...functions, 'release_lane'].map(name => `sql/functions/operations/${name}.sql`),
    ...['operation', 'undo', 'operation-types'].map(name => `src/queue/${name}.ts`),
    'src/requests/execute.ts',
  ]
  const columns =
    /\b(suspend|package|password|email|desired|is_applied|warnings|domain|sites?)(_\w+)?\b/
  for (const file of frame) {
    const text = read(file).replace(/--.*$|\/\/.*$|^ *(\/?\*).*$/gm, '')
    for (const name of Object.keys(operationNames)) t.notMatch(text, `'${name}'`, file)
    if (file.endsWith('.sql')) t.notMatch(text, columns, file)
  }
})

t.test('an operation’s name stands in the files of its kind and in tables of contents', async t => {
  // Operations of many resource kinds: a restore, rebuilds, and the orders of certificates.
  const others = new RegExp(
    'close_restored|rebuild|sweep_unapplied|apply_package|' +
      'ask_for_request|record_order|examples',
  )
  for (const name of Object.keys(operationNames)) {
    const [subject = ''] = name.split('/')
    for (const file of [...sources, ...sql.filter(name => name.includes('functions'))]) {
      const isOwn = file.includes(subject) || others.test(file) || file.includes('operation-names')
      if (!isOwn && read(file).includes(`'${name}'`)) t.fail(`${file} names ${name}`)
    }
  }
  t.pass()
})

t.test('every file of a function is named after it', async t => {
  for (const file of sql.filter(name => name.startsWith('sql/functions/'))) {
    const name = /(\w+)\.sql$/.exec(file)?.[1]
    t.match(read(file), `create or replace function panel.${name}(`, file)
  }
})

t.test('files are short, and so are lines', async t => {
  for (const file of [...code, ...sql, ...php, ...styles]) {
    const lines = read(file).split('\n')
    if (lines.length > 301) t.fail(`${file} has ${lines.length} lines`)
    for (const [index, line] of lines.entries()) {
      if (line.length > 100) t.fail(`${file}:${index + 1} has ${line.length} characters`)
    }
  }
  t.pass()
})

t.test('there is no hole in the types without its reason', async t => {
  for (const file of sources) {
    t.notMatch(read(file), /\bas any\b|: any\b|@ts-(ignore|nocheck|expect-error)/, file)
  }
})

t.test('no test is skipped or singled out', async t => {
  for (const file of code.filter(
    name => name.endsWith('.test.ts') && name !== 'test/tidy.test.ts',
  )) {
    t.notMatch(read(file), /\b(t|test)\.(only|todo)\(|\{ *(skip|todo): *true/, file)
  }
})

t.test('units start the processes as panel start does', async t => {
  for (const name of ['api', 'worker', 'courier']) {
    const command = ['node', ...nodeOptions, `/opt/panel/current/bin/panel-${name}.ts`].join(' ')
    t.match(read(`systemd/panel-${name}.service`), `/${command}\n`)
  }
  for (const [name, value] of Object.entries(threads))
    t.match(read('systemd/panel-courier.service'), `\nEnvironment=${name}=${value}\n`)
})

t.test('the lock file holds no download addresses', async t => {
  t.notMatch(read('package-lock.json'), /"resolved": *"http/)
})

t.test('every dependency has its reason in docs/decisions', async t => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'))
  const reasons = files
    .filter(file => file.startsWith('docs/decisions/'))
    .map(read)
    .join('\n')
  for (const name of Object.keys({
    ...dependencies,
    ...optionalDependencies,
    ...devDependencies,
  })) {
    t.match(reasons, `\`${name}\``, name)
  }
})

t.test('no file refers to a page that is not in the repository', async t => {
  // Without sql/migrations, which are never edited.
  const folders = /^(src|tasks|sql\/functions|bin|test|billing|docs)\//
  const named = (page: string) => {
    const path = normalize(page).replace(/^[./]+/, '')
    return files.some(file => file === path || file.endsWith(`/${path}`))
  }
  for (const file of files.filter(name => folders.test(name) && extname(name) !== '.svg')) {
    const text = read(file)
    const pages = [...text.matchAll(/[\w./-]*\w\.md\b/g)].map(([page]) => page)
    const strange = [
      ...pages.filter(page => !named(page)),
      ...(text.match(/\b(architecture, (the|a|rule)\b|docs\/decisions\/\d+(?!\d|-))/gi) ?? []),
    ]
    if (strange.length > 0) t.fail(`${file} cites ${strange.join(', ')}`)
  }
  t.pass()
})

t.test('versions are exact', async t => {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'))
  const all = { ...dependencies, ...optionalDependencies, ...devDependencies }
  for (const [name, version] of Object.entries(all)) t.match(version, /^[0-9]/, name)
})

function partOf(file: string): string {
  const [first = '', second = ''] = file.split('/')
  return first === 'src' ? second.replace(/\.ts$/, '') : first
}

function importsOf(file: string, pattern = /(?:from|import\() ?'(\.[^']+)'/g): string[] {
  const imports = read(file).matchAll(pattern)
  return [...imports].map(match => normalize(join(dirname(file), match[1] ?? '')))
}
