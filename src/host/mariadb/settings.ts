import type { Machine } from '../contract.ts'
import { mariaDb } from './mariadb.ts'

// Settings of MariaDB for accounts that may be hostile: the package's defaults expose it to the
// machine and to files. The installer writes them once; the server reads them at its start.

/** Read by the distribution's MariaDB, after its own files. */
export const settingsFile = '/etc/mysql/mariadb.conf.d/90-panel.cnf'

/**
 * Variables that isolate customers from each other and from the machine, as SHOW VARIABLES prints
 * them.
 */
const required: Record<string, [option: string, value: string]> = {
  // PHP uses the socket; no port is open.
  skip_networking: ['skip-networking', 'ON'],
  skip_name_resolve: ['skip-name-resolve', 'ON'],
  local_infile: ['local-infile = 0', 'OFF'],
  have_symlink: ['symbolic-links = 0', 'DISABLED'],
  event_scheduler: ['event-scheduler = OFF', 'OFF'],
}

// A session could otherwise raise these for itself, at the expense of everyone's memory and disk.
const maximums: Record<string, string> = {
  'tmp-table-size': '16M',
  'max-heap-table-size': '16M',
  'sort-buffer-size': '8M',
  'join-buffer-size': '8M',
  'read-buffer-size': '1M',
  'read-rnd-buffer-size': '2M',
  'bulk-insert-buffer-size': '8M',
  'group-concat-max-len': '16M',
  'tmp-disk-table-size': '1G',
}

/** The options that limit every session. */
export const sessionLimits = Object.entries(maximums).map(
  ([name, value]) => `maximum-${name} = ${value}`,
)

/** Renders the file, with sizes according to the machine's memory. */
export function renderSettings(ramMb: number): string {
  const isSmall = ramMb < 4_096
  // A quarter, in steps: a kernel that reserves slightly more memory must not cause a restart.
  const poolMb = isSmall ? 64 : 128 * Math.floor(ramMb / 512)
  return `# How accounts' databases are kept apart, and small. Written by the panel.
[mariadbd]
${Object.values(required)
  .map(([option]) => option)
  .join('\n')}
max-statement-time = 300
max-connections = ${isSmall ? 60 : 300}
performance-schema = 0
innodb-buffer-pool-size = ${poolMb}M
innodb-log-file-size = ${isSmall ? 24 : 96}M
innodb-log-buffer-size = 4M
key-buffer-size = 8M
aria-pagecache-buffer-size = 8M
tmp-table-size = 16M
max-heap-table-size = 16M
tmp-disk-table-size = 1G
innodb-temp-data-file-path = ibtmp1:12M:autoextend:max:2G
table-open-cache = 400
${sessionLimits.join('\n')}
`
}

/** Returns the settings in which a running server is open to its customers. */
export async function listOpenSettings(machine: Machine): Promise<string[]> {
  const names = Object.keys(required).map(name => `'${name}'`)
  const rows = await machine
    .part(mariaDb)
    .query(`SHOW VARIABLES WHERE Variable_name IN (${names.join(', ')})`)
  const found = new Map(rows.map(row => [String(row['Variable_name']), String(row['Value'])]))
  return Object.entries(required)
    .filter(([name, [, value]]) => found.get(name) !== value)
    .map(([name]) => name)
}
