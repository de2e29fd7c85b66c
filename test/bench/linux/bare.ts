import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account, Maker } from './machine.ts'

const script = join(import.meta.dirname, 'bare.sh')

/** The floor: the bare tools, with PHP masters of the accounts' own or one that they share. */
export async function openBare(masters: string): Promise<Maker> {
  for (const folder of ['/run/bench', '/etc/bench-php']) mkdirSync(folder, { recursive: true })
  // Sockets are made by the accounts themselves.
  run('chmod', '1777', '/run/bench')
  run('groupadd', '-r', 'panel-sftp')
  writeFileSync('/etc/bench-php/index.html', '<!doctype html>\n<title>Ready</title>\n')
  rmSync('/etc/nginx/sites-enabled/default', { force: true })
  const hashes = 'server_names_hash_max_size 65536;\nserver_names_hash_bucket_size 128;\n'
  writeFileSync('/etc/nginx/conf.d/bench.conf', hashes)
  if (masters === 'shared') {
    mkdirSync('/run/php', { recursive: true })
    run('sh', '-c', 'exec /usr/sbin/php-fpm?.?')
  }
  run('nginx')

  const environment = { PATH: process.env['PATH'], GROUPS_OF_CONTROLLERS: ownGroups().join(' ') }
  const make = async ({ username, uid, domain, password }: Account, reload = 'yes') => {
    const child = spawn(script, [masters, username, String(uid), domain], {
      env: { ...environment, RELOAD: reload },
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    child.stdin?.end(`${password}\n`)
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`The bare tools ended with ${code}`)
  }
  return {
    make,
    async makeOthers(accounts) {
      for (const account of accounts) await make(account, 'no')
      if (masters === 'shared') run('sh', '-c', 'kill -USR2 "$(cat /run/php/php*-fpm.pid)"')
      run('sh', '-c', 'kill -HUP "$(cat /run/nginx.pid)"')
      await sleep(2_000)
    },
  }
}

// As they are below the hierarchies of version 1.
function ownGroups(): string[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n')
  return lines.flatMap(line => {
    const [, names = '', path = ''] = line.split(':')
    const name = names.split(',').find(name => ['memory', 'cpu', 'pids'].includes(name))
    return name === undefined ? [] : [`/sys/fs/cgroup/${name}${path}`]
  })
}

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${command} ended with ${status}`)
}
