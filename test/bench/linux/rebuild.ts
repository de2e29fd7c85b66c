import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listProcesses } from '../../../src/host/accounts/user-processes.ts'
import { targetOf } from '../../../src/host/tools/files.ts'
import { readOfProcess } from '../../../src/host/tools/processes.ts'

// All files of websites and PHP are removed, and made again by the command or by the floor.

const root = join(import.meta.dirname, '../../..')
const folders = ['/var/lib/panel/web/sites', '/var/lib/panel/web/names', '/etc/panel/php']
/** For each account a website's link, two names and PHP's file. */
const filesEach = 4
/** In place of rows the floor has the names and texts of all files, and where links lead. */
const texts = '/var/tmp/rebuild.json'

/** Removes all files and returns how long it takes until they are there and read again. */
export async function rebuild(kind: 'floor' | 'ours', accounts: number): Promise<number> {
  if (!existsSync(texts)) keep(accounts)
  for (const path of paths()) rmSync(path)
  const running = masters()
  const begunAt = performance.now()
  const output = await (kind === 'ours'
    ? call('bin/panel', 'ctl', 'rebuild')
    : call('test/bench/floor/rebuild.ts', texts))
  while (running.some(pid => existsSync(`/proc/${pid}`))) await sleep(1)
  const ms = performance.now() - begunAt
  const isWhole = kind === 'floor' || output.includes(`${accounts} accounts rebuilt, 0 failed`)
  if (!isWhole || paths().length !== filesEach * accounts)
    throw new Error(`It was not rebuilt: ${output}`)
  return ms
}

const paths = (): string[] =>
  folders.flatMap(folder => readdirSync(folder).map(name => `${folder}/${name}`))

function keep(accounts: number): void {
  const files = paths().map(path => {
    const target = targetOf(path)
    return target === undefined ? { path, text: readFileSync(path, 'utf8') } : { path, target }
  })
  if (files.length !== filesEach * accounts)
    throw new Error(`${files.length} files of ${accounts} accounts`)
  mkdirSync('/var/tmp', { recursive: true })
  writeFileSync(texts, JSON.stringify(files))
}

async function call(file: string, ...words: string[]): Promise<string> {
  const child = spawn(process.execPath, [...process.execArgv, join(root, file), ...words], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: process.env['DATABASE_URL'],
      PANEL_HOST: 'linux',
      PANEL_STATE_DIR: '/var/lib/panel-state',
      // Where the checkout is, this copy can't write.
      NODE_COMPILE_CACHE: '/var/tmp/compile-cache',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${output}`)
  return output
}

// The masters of PHP of accounts; the machine's own is root's.
const masters = (): string[] =>
  listProcesses()
    .filter(({ name, uid }) => name.startsWith('php-fpm') && uid !== 0)
    .map(({ pid }) => pid)
    .filter(pid => readOfProcess(pid, 'cmdline').includes('master process'))
