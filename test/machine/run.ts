import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { isFull } from '../support/full.ts'
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts'
import { count, failures } from '../results.ts'
import { passedLater, secondRun } from '../second-run.ts'
import { fastest } from '../support/fastest.ts'
import { environments, type Environment } from './environments.ts'

// `npm run test:machine`: runs the files below test/machine, each in an environment that the test
// can't distinguish from a real machine. Needs root on Debian; tests that can't be run are skipped
// with a line. In CI only those may be skipped that no package could make run.

const root = join(import.meta.dirname, '../..')
const isCi = process.env['CI'] === 'true'
// Several times what the longest file takes on an idle machine.
const usualLimitMs = isFull ? 1_800_000 : 540_000

// Options of the developer who starts the tests: more turns, say.
const asked = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('PANEL_TEST_')),
)

const total = { passed: 0, failed: 0, skipped: 0 }
const files = await runnable(process.argv.slice(2))
if (files.length > 0) await withPostgres(files)
const skipped = total.skipped > 0 && !isCi ? `, ${total.skipped} skipped` : ''
if (isCi) total.failed += total.skipped
process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`)
process.exit(total.failed === 0 && (total.passed > 0 || skipped !== '') ? 0 : 1)

type File = { path: string; environment: Environment }

async function runnable(named: string[]): Promise<File[]> {
  const found: File[] = []
  for (const [name, environment] of Object.entries(environments)) {
    const paths = globSync(`test/machine/${name}/*.test.ts`, { cwd: root })
      .filter(path => named.length === 0 || named.includes(path))
      .sort()
    const lack = paths.length > 0 ? await environment.lack() : undefined
    const why = paths.length > 0 && lack === undefined ? environment.whyNever?.() : undefined
    if (why !== undefined) process.stdout.write(`cannot run ${name} here: ${why}\n`)
    else if (lack === undefined) found.push(...paths.map(path => ({ path, environment })))
    else {
      process.stdout.write(`skipped ${name}: ${lack}\n`)
      total.skipped += paths.length
    }
  }
  return found
}

async function withPostgres(waiting: File[]): Promise<void> {
  const scratch = await mkdtemp(join(await fastest(), 'panel-test-'))
  const postgres = await startTestPostgres(scratch)
  try {
    const wrong = new Map<File, number>()
    const runNext = async () => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const { passed, failed } = await runFile(file, scratch, postgres)
        total.passed += passed
        if (failed > 0) wrong.set(file, failed)
      }
    }
    // Tests wait as much as they work.
    await Promise.all(Array.from({ length: availableParallelism() + 1 }, runNext))
    const again = secondRun([...wrong.keys()].map(({ path }) => path))
    for (const [file, failed] of wrong) {
      const isMended =
        again.includes(file.path) && (await runFile(file, scratch, postgres)).failed === 0
      if (isMended) process.stdout.write(passedLater([file.path]))
      else total.failed += failed
    }
  } finally {
    await postgres.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}

async function runFile(
  { path, environment: machine }: File,
  scratch: string,
  { environment }: TestPostgres,
): Promise<{ passed: number; failed: number }> {
  const begunAt = Date.now()
  const fileLimitMs = machine.limitMs ?? usualLimitMs
  const [command = '', ...args] = machine.command([process.execPath, join(root, path)], {
    root,
    scratch,
  })
  // A killed runner leaves nothing of an environment behind.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', command, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${join(root, 'node_modules/.bin')}:/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin`,
      LANG: 'C.UTF-8',
      // A test waits for processes of a busy machine; the limit of the file is enough.
      TAP_TIMEOUT: String(fileLimitMs / 1_000),
      TAP_BAIL: process.env['TAP_BAIL'] ?? '0',
      ...environment,
      ...asked,
      PANEL_TEST_SCRATCH: scratch,
      NODE_COMPILE_CACHE: join(scratch, 'compile-cache'),
    },
  })
  let results = ''
  let complaints = ''
  child.stdout.on('data', (text: Buffer) => (results += text.toString()))
  child.stderr.on('data', (text: Buffer) => (complaints += text.toString()))
  const late = setTimeout(() => child.kill(), fileLimitMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(late)

  const counted = count(asPart(results))
  const { passed } = counted
  const failed = code === 0 ? counted.failed : Math.max(counted.failed, 1)
  const seconds = Math.round((Date.now() - begunAt) / 1000)
  process.stdout.write(`${path}: ${passed} passed, ${failed} failed, ${seconds} s\n`)
  for (const [, text] of results.matchAll(/^ *# figure: (.*)$/gm)) {
    process.stdout.write(`  ${text}\n`)
  }
  if (code !== 0) {
    process.stdout.write(failures(results) || results)
    process.stdout.write(`${complaints}\n${path} ended with ${code}\n`)
  }
  return { passed, failed }
}

// Indents a file's results as a part of the whole.
function asPart(text: string): string {
  return text.replace(/^/gm, '    ')
}
