import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { generateSource } from 'oazapfts'
import t from 'tap'
import { toYaml } from '../../src/api/describe.ts'
import { describe } from '../../src/api/openapi.ts'
import { endpoints } from '../../src/api/routes.ts'
import { account, link, starter, succeeded } from '../../src/api/examples.ts'
import { version } from '../../src/config.ts'
import { statusByCode } from '../../src/errors.ts'
import { openPanel } from '../support/panel.ts'
import { readDescription } from '../support/api/description.ts'

const root = join(import.meta.dirname, '../..')
const file = join(root, 'provisioning-openapi.yaml')

t.test('the committed description is up to date', async t => {
  t.equal(await readFile(file, 'utf8'), toYaml(), 'run `npm run describe`')
})

t.test('a linter finds no error in it, nor in its examples', async t => {
  t.strictSame(await errorsIn(toYaml()), [])
  const spoilt = [
    toYaml().replaceAll('/schemas/Package"', '/schemas/Gone"'),
    toYaml().replaceAll('disk_mb: 2048', 'disk_mb: "2048"'),
    toYaml().replaceAll('example: "alice"', 'example: "Alice"'),
  ]
  for (const source of spoilt) t.not((await errorsIn(source)).length, 0, 'it can find some')
})

t.test('no list of values or schemas in it names one twice', t => {
  let lists = 0
  JSON.parse(JSON.stringify(describe()), (key, value) => {
    if (!['enum', 'anyOf', 'oneOf', 'required'].includes(key) || !Array.isArray(value)) return value
    lists++
    const members = value.map(member => JSON.stringify(member))
    t.strictSame(members, [...new Set(members)], key)
    return value
  })
  t.ok(lists > 10)
  t.end()
})

t.test('its examples are what the handlers take and answer', async t => {
  for (const { id, body, answers } of endpoints) {
    const contents = [...(body?.example === undefined ? [] : [body]), ...Object.values(answers)]
    for (const { schema, example } of contents)
      t.equal(schema.safeParse(example).error, undefined, id)
  }
})

t.test('every refusal that there is has its place in it', async t => {
  const described = new Set(readDescription().flatMap(({ answers }) => [...answers.keys()]))
  const statuses = Object.entries(statusByCode).map(([code, status]) => [
    code,
    described.has(status),
  ])
  // Paths that are no operation have no description, and what is answered before a path is known.
  const beforeAll = ['too_slow', 'method_not_allowed', 'expectation_unknown', 'headers_too_large']
  t.same(
    new Set(statuses.filter(([, isDescribed]) => !isDescribed).map(([code]) => code)),
    new Set(beforeAll),
  )
})

t.test('every operation says what any other failure looks like', async t => {
  for (const { id, otherwise } of readDescription()) {
    t.ok(otherwise?.body.safeParse({ error: 'The headers exceed 16 KiB' }).success, id)
    t.ok(otherwise?.headers.includes('x-panel-reason'), id)
  }
})

t.test('the outcome of a request has the form of its answer', async t => {
  const job = readDescription()
    .find(({ id }) => id === 'getJob')
    ?.answers.get(200)?.body
  const parse = (result: unknown) => job?.safeParse({ ...succeeded, result }).success
  for (const result of [null, account, starter, link, { error: 'It was refused' }]) {
    t.ok(parse(result), JSON.stringify(result))
  }
  for (const result of [{}, [], 'text', { username: 'alice' }]) {
    t.notOk(parse(result), JSON.stringify(result))
  }
})

t.test('the description names its release', async t => {
  t.match(toYaml(), `\n  version: "${version}"\n`)
})

async function errorsIn(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'no-invalid-media-type-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-invalid-schema-examples': 'error',
    },
  })
  const problems = await lintFromString({ source, absoluteRef: file, config })
  return problems
    .filter(problem => problem.severity === 'error')
    .map(({ message, location }) => `${location[0]?.pointer}: ${message}`)
}

t.test('the panel serves it, and its reference, without a token', async t => {
  const panel = await openPanel(t, { hasWorker: false })
  const get = (path: string) => panel.call('GET', path, { token: null })
  const description = await get('/provisioning-openapi.yaml')
  t.equal(description.headers.get('content-type'), 'application/yaml; charset=utf-8')
  t.equal(description.text, toYaml())
  t.match((await get('/llms.txt')).text, /https:\/\/panel\.test:8443\/provisioning-openapi\.yaml/)
  t.match((await get('/llms-full.txt')).text, /# Accounts/)
  const index = (await get('/llms.txt')).text
  const links = [...index.matchAll(/\(https:\/\/panel\.test:8443([^)]+)\)/g)].map(
    ([, path]) => path!,
  )
  t.ok(links.length > 10)
  for (const link of links) t.equal((await get(link)).status, 200, link)
  const page = await get('/reference/accounts.md')
  t.equal(page.headers.get('content-type'), 'text/markdown; charset=utf-8')
  t.equal(page.text, readFileSync(join(root, 'docs/reference/accounts.md'), 'utf8'))
})

t.test('a client generated from it compiles, and refuses what the API would', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'panel-client-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'client.ts'), await generateSource(file))
  await writeFile(
    join(folder, 'use.ts'),
    `import { createAccount } from './client.ts'
export async function use(): Promise<string> {
  const body = {
    username: 'alice',
    password: 'correct horse battery',
    email: 'alice@example.com',
    package: 'starter',
  }
  const answer = await createAccount(body, { idempotencyKey: 'one' })
  // @ts-expect-error: the description's types must refuse a username that is a number.
  await createAccount({ ...body, username: 7 })
  // A response with an unknown status has an error.
  return 'username' in answer.data ? answer.data.username : String(answer.status)
}
`,
  )
  const runtime = join(root, 'node_modules/@oazapfts/runtime')
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    paths: {
      '@oazapfts/runtime': [join(runtime, 'index')],
      '@oazapfts/runtime/*': [join(runtime, '*')],
    },
  }
  const project = JSON.stringify({ compilerOptions, include: ['*.ts'] })
  await writeFile(join(folder, 'tsconfig.json'), project)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compile = promisify(execFile)(process.execPath, [tsc, '-p', folder])
  const output = await compile.then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
  t.equal(output, '')
})
