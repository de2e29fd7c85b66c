import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { targetOf } from '../../../src/host/tools/files.ts'

// All files of websites and PHP are removed, and made again by the command or by the floor.

const root = join(import.meta.dirname, '../../..')
const folders = ['/var/lib/panel/web/sites', '/var/lib/panel/web/names', '/etc/panel/php']
/** For each account a website's link, two names and PHP's file. */
const filesEach = 4
/** In place of rows the floor has the names and texts of all files, and where links lead. */
const texts = '/var/tmp/rebuild.json'

/** Removes all files and returns how long it takes until they are served again. */
export async function rebuild(kind: 'floor' | 'ours', accounts: number): Promise<number> {
  if (!existsSync(texts)) keep(accounts)
  for (const path of paths()) rmSync(path)
  await quiet()
  const begunAt = performance.now()
  const said = await (kind === 'ours'
    ? call('bin/panel', 'ctl', 'rebuild')
    : call('test/bench/floor/rebuild.ts', texts))
  const ms = performance.now() - begunAt
  const isWhole = kind === 'floor' || said.includes(`${accounts} accounts rebuilt, 0 failed`)
  if (!isWhole || paths().length !== filesEach * accounts)
    throw new Error(`It was not rebuilt: ${said}`)
  await quiet()
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
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${said}`)
  return said
}

// A thousand masters reload one after the other, which takes a while.
async function quiet(): Promise<void> {
  for (let before = -1; ;) {
    const now = ticks()
    const isDue = readdirSync('/run/panel/php').some(name => /\.(due|now)$/.test(name))
    if (!isDue && now - before < fewTicks && before >= 0) return
    before = now
    await sleep(500)
  }
}

const fewTicks = 5

/** The processor time that PHP and nginx have used. */
function ticks(): number {
  const pids = readdirSync('/proc').filter(name => /^[0-9]+$/.test(name))
  return pids.map(ticksOf).reduce((sum, one) => sum + one, 0)
}

function ticksOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    if (!/\((php-fpm|nginx)/.test(stat)) return 0
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0 // It has ended.
  }
}
