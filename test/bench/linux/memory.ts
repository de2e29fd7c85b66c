import { execFileSync } from 'node:child_process'
import { request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { listProcesses } from '../../../src/host/accounts/user-processes.ts'
import { readOfProcess } from '../../../src/host/tools/processes.ts'
import { memoryOf, phpProgram, renderPool, startMaster } from './plain.ts'

// The memory that quiet websites take: their accounts' PHP masters, without the processes that
// answer a visitor and end half a minute later.

/**
 * `shared` is one master with a pool for each website. The panel's are `asleep` until a visitor
 * comes, when systemd alone has grown by their units, and `awake` after it; `smaller` are awake
 * ones with half the memory for PHP's own strings.
 */
export type AskedOfMemory = 'shared' | 'asleep' | 'awake' | 'smaller'

export type Memory = { measure: (asked: AskedOfMemory) => Promise<number> }

const websites = 42
const strings = 'opcache.interned_strings_buffer=4'
const usernameOf = (index: number) => `user${20_002 + index}`
const all = Array.from({ length: websites }, (_, index) => index)

/** Makes the accounts. */
export async function openMemory(make: (index: number) => Promise<void>): Promise<Memory> {
  const before = memoryOf([1])
  for (const index of all) {
    await make(index)
    const uid = 20_002 + index
    const path = `/home/${usernameOf(index)}/sites/${usernameOf(index)}.example/public/answer.php`
    writeFileSync(path, '<?php echo 6 * 7;')
    chownSync(path, uid, uid)
  }
  const asleep = memoryOf([1]) - before
  return {
    async measure(asked) {
      switch (asked) {
        case 'asleep':
          return asleep
        case 'shared':
          return shared()
        case 'awake':
          return awake()
        case 'smaller':
          return awake(` -d ${strings}`)
      }
    },
  }
}

async function shared(): Promise<number> {
  const pools = all.map(index => renderPool(usernameOf(index))).join('')
  const master = startMaster('shared', pools)
  await sleep(3_000)
  const mb = memoryOf([master.pid!])
  master.kill()
  await once(master, 'exit')
  return mb
}

const unit = '/run/systemd/system/panel-php@.service.d'
const masterOf = (pid: string): string | undefined =>
  /php-fpm: master process \(\/etc\/panel\/php\/([0-9]+)\.conf/.exec(
    readOfProcess(pid, 'cmdline'),
  )?.[1]

// PHP of the other rows may be awake too.
const ids = new Set(all.map(index => String(20_002 + index)))
const masters = () => listProcesses().filter(({ pid }) => ids.has(masterOf(pid) ?? ''))

async function awake(options = ''): Promise<number> {
  const stop = all.map(index => `panel-php@${20_002 + index}.service`)
  execFileSync('systemctl', ['stop', '--quiet', '--', ...stop], { stdio: 'ignore' })
  mkdirSync(unit, { recursive: true })
  const start = `ExecStart=${phpProgram()} --nodaemonize -y /etc/panel/php/%i.conf${options}`
  writeFileSync(`${unit}/90-bench.conf`, `[Service]\nExecStart=\n${start}\n`)
  execFileSync('systemctl', ['daemon-reload'])
  for (const index of all) await visit(`${usernameOf(index)}.example`)
  await sleep(1_000)
  const pids = masters().map(({ pid }) => Number(pid))
  if (pids.length !== websites) throw new Error(`${pids.length} masters are awake`)
  return memoryOf(pids)
}

/** A visit that PHP answers. */
async function visit(domain: string): Promise<void> {
  const asked = request({ host: '127.0.0.1', path: '/answer.php', headers: { host: domain } })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.resume()
  if (response.statusCode !== 200) throw new Error(`${domain}: ${response.statusCode}`)
}
