import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { inherited } from '../support/processes.ts'

export type Outcome = {
  /** The operation's return value; its type is each test's own. */
  value: any
  /** The error that it threw instead. */
  thrown?: string
  ms: number
  printed: string
  warnings: string[]
  logged: string
}

export type Php = {
  run: (operation: string, values?: object) => Promise<Outcome>
}

// Without the machine's settings, because a module must run in every PHP.
const bare = ['-n', '-d', 'error_reporting=-1', '-d', 'display_errors=stderr']
const withoutCurl = [...bare, '-d', 'extension=pdo', '-d', 'extension=pdo_sqlite']
/** The options of a PHP process. */
export const usual = [...withoutCurl, '-d', 'extension=curl']

// Prints nothing if PHP and these settings work.
const probe = spawnSync('php', [...usual, '-r', ''], { encoding: 'utf8' })

/** Why PHP can't be tested here, or false, for tap's `skip`. CI has PHP. */
export const withoutPhp: string | false =
  process.env['CI'] === undefined && (probe.error !== undefined || probe.stderr !== '')
    ? 'PHP is missing, or a part of it (apt-get install php-cli php-curl php-sqlite3)'
    : false

export type PhpOptions = {
  /** Whether this PHP lacks curl. */
  lacksCurl?: true
  /** The PHP file that returns a system's operations, in test/billing. */
  operations: string
  /** The billing system's root, with the module in it. */
  root?: string
  settings?: string[]
}

/** A PHP process that runs a billing system's operations on a module, one after the other. */
export function startPhp(t: Test, options: PhpOptions): Php {
  const php = openPhp(options)
  t.teardown(() => php[Symbol.asyncDispose]())
  return php
}

/** The same, ended by the caller. */
export function openPhp(options: PhpOptions): Php & AsyncDisposable {
  const { lacksCurl, operations, root = '', settings: more = [] } = options
  const here = import.meta.dirname
  const args = [
    ...(lacksCurl ? withoutCurl : usual),
    ...more,
    join(here, 'drive.php'),
    join(here, operations),
  ]
  const child = spawn('php', [...args, root], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: inherited.PATH, LC_ALL: 'C.UTF-8' },
  })
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(operation, values = {}) {
      const outcome = last.then(async () => {
        child.stdin.write(`${JSON.stringify({ operation, values })}\n`)
        const { value } = await lines.next()
        if (value === undefined) throw new Error(`PHP ended at ${operation}`)
        return JSON.parse(value) as Outcome
      })
      last = outcome.catch(() => undefined)
      return outcome
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await exited
    },
  }
}
