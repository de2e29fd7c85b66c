import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { until } from '../support/until.ts'
import { must, packageSource } from './debian-root.ts'
import { run } from './machine.ts'

// The PostgreSQL of a Debian, run as it comes from there, in a root of its own.

/** Starts it, and returns the folder of its socket and its version. */
export async function startDebianPostgres(
  t: Test,
  suite: string,
): Promise<{ folder: string; version: number }> {
  // The path of a socket is short (unix(7)).
  const root = mkdtempSync(join(process.env['PANEL_TEST_SCRATCH'] ?? '', 'pg-'))
  await must('mount', ['-t', 'tmpfs', '-o', 'size=4g,mode=755', 'panel', root])
  await must('mmdebstrap', [
    ...['--quiet', '--variant=minbase', '--dpkgopt=force-unsafe-io'],
    ...['--aptopt=Apt::Install-Recommends "false"', '--include=postgresql', '--skip=check/empty'],
    ...[suite, root, packageSource()],
  ])
  const [version = ''] = (await must('ls', [join(root, 'usr/lib/postgresql')])).split('\n')
  const folder = join(root, 's')
  mkdirSync(folder)
  await must('chroot', [root, 'chown', 'postgres', '/s'])
  const inside = [root, 'setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', '--']
  const programs = `/usr/lib/postgresql/${version}/bin`
  const cluster = ['-D', '/s/data', '--auth=trust', '-U', 'postgres', '--encoding=UTF8']
  await must('chroot', [...inside, `${programs}/initdb`, ...cluster, '--locale=C'])
  writeFileSync(join(folder, 'data/postgresql.auto.conf'), settings)
  const server = spawn('chroot', [...inside, `${programs}/postgres`, '-D', '/s/data'], {
    stdio: 'ignore',
  })
  const ended = once(server, 'close')
  t.teardown(async () => {
    // At once, even with open connections.
    server.kill('SIGQUIT')
    await ended
  })
  const ask = [root, `${programs}/pg_isready`, '-q', '-h', '/s']
  await until(async () => (await run('chroot', ask)).code === 0, 60_000)
  return { folder, version: Number(version) }
}

const settings = `listen_addresses = ''
unix_socket_directories = '/s'
max_connections = 300
fsync = off
full_page_writes = off
synchronous_commit = off
`
