import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync } from 'node:fs'
import type { Test } from 'tap'
import { sessionLimits } from '../../src/host/mariadb/settings.ts'
import { until } from '../support/until.ts'
import { run, type Output } from './machine.ts'

// A MariaDB of a test's own, on an own folder, where the one of a server listens.

export const socket = '/run/mysqld/mysqld.sock'

// MariaDB reserves 8 TB of addresses by default: more than user-mode Linux has.
const smallAddresses = '--loose-innodb-buffer-pool-size-max=64M'

export type MariaDb = {
  /** Statements as root, who is known by its user; a line for each row. */
  root: (statements: string) => Promise<string>
  /** The same as anybody. */
  as: (user: string, password: string, statements: string, database?: string) => Promise<Output>
  stop: (signal?: NodeJS.Signals) => Promise<void>
  start: () => Promise<void>
  pid: () => number
  /** The folder of its data. */
  folder: string
}

/** With `dataMb` its data has a file system of its own, of that size. */
export async function startMariaDb(
  t: Test,
  { dataMb }: { dataMb?: number } = {},
): Promise<MariaDb> {
  mkdirSync('/run/mysqld', { recursive: true })
  const folder = mkdtempSync('/var/tmp/mariadb-')
  if (dataMb !== undefined)
    await run('mount', ['-t', 'tmpfs', '-o', `size=${dataMb}m`, 'x', folder])
  const data = `${folder}/data`
  const made = await run('mariadb-install-db', [
    ...['--no-defaults', `--datadir=${data}`, '--user=root', '--skip-test-db'],
    ...['--auth-root-authentication-method=socket', smallAddresses],
  ])
  if (made.code !== 0) throw new Error(made.stderr)
  let server: ReturnType<typeof spawn>
  const options = [
    ...['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, '--user=root'],
    ...['--skip-networking', '--skip-name-resolve', '--local-infile=0', '--symbolic-links=0'],
    ...['--innodb-buffer-pool-size=32M', '--innodb-log-file-size=8M', '--max-connections=80'],
    ...[`--log-error=${data}.log`, smallAddresses],
    ...sessionLimits.map(option => `--${option.replace(' = ', '=')}`),
  ]
  const client = (user: string, words: string[], password: string, statements: string) =>
    run(
      'env',
      [
        `MYSQL_PWD=${password}`,
        ...['mariadb', '--no-defaults', `--socket=${socket}`, `--user=${user}`, '--batch'],
        ...['--skip-column-names', ...words],
      ],
      statements,
    )
  const mariadb: MariaDb = {
    folder,
    async root(statements) {
      const { code, stdout, stderr } = await client('root', [], '', statements)
      if (code !== 0) throw new Error(stderr)
      return stdout
    },
    as: (user, password, statements, database) =>
      client(user, database === undefined ? [] : [database], password, statements),
    async stop(signal = 'SIGTERM') {
      if (server.exitCode !== null || server.signalCode !== null) return
      server.kill(signal)
      await once(server, 'exit')
    },
    async start() {
      server = spawn('/usr/sbin/mariadbd', options, { stdio: 'ignore' })
      await until(async () => (await client('root', [], '', 'SELECT 1')).code === 0)
    },
    pid: () => server.pid ?? 0,
  }
  await mariadb.start()
  t.teardown(() => mariadb.stop('SIGKILL'))
  return mariadb
}
