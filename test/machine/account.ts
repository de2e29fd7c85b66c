import { existsSync, globSync, readFileSync } from 'node:fs'
import { targetOf } from '../../src/host/tools/files.ts'
import { listProcesses } from '../../src/host/accounts/user-processes.ts'
import { isOwnGroup, visit } from './machine.ts'

/** Returns the account's state on the machine, in a form that can be compared. */
export type Seen = Record<string, unknown>

/** Reads an account from the machine, with the names of its user and of its site's file. */
export async function look(username: string, uid: number, domain: string): Promise<Seen> {
  return { ...readFiles(username, uid, domain), status: (await visit(domain)).status }
}

/** The same without a request to nginx. */
export function readFiles(username: string, uid: number, domain: string): Seen {
  return {
    passwd: lineOf('passwd', username),
    shadow: lineOf('shadow', username),
    group: lineOf('group', username),
    groups: linesWith('group', username),
    home: existsSync(`/home/${username}`),
    trash: existsSync(`/home/.trash/${uid}`),
    site: websiteOf(domain),
    php: text(`/etc/panel/php/${uid}.conf`),
    start: globSync(`/etc/systemd/system/sockets.target.wants/*@${uid}.*`),
    socket: globSync(`/run/panel/php/${uid}.*`),
    memory: globSync(`/sys/fs/cgroup/memory/**/panel-${uid}/memory.limit_in_bytes`)
      .filter(isOwnGroup)
      .map(text),
    crontab: [text(`/var/spool/cron/crontabs/${username}`)],
    blocked: [text(`/var/spool/cron/crontabs/.panel-${uid}`)],
    processes: listProcesses()
      .filter(process => process.uid === uid)
      .map(({ name }) => name),
  }
}

/** The state of an account that never existed. */
export const nothing: Seen = {
  passwd: undefined,
  shadow: undefined,
  group: undefined,
  groups: [],
  home: false,
  trash: false,
  site: undefined,
  php: undefined,
  start: [],
  socket: [],
  memory: [],
  crontab: [undefined],
  blocked: [undefined],
  processes: [],
}

// The steps from a name to its website.
function websiteOf(domain: string): string | undefined {
  const web = '/var/lib/panel/web'
  const site = targetOf(`${web}/names/${domain}`)
  const folder = site && targetOf(`${web}/names/${site}`)
  const home = folder && targetOf(`${web}/sites/${folder}/http`)
  return site && [site, folder, home].join(' -> ')
}

const text = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined

const lines = (file: string): string[] => readFileSync(`/etc/${file}`, 'utf8').split('\n')

const lineOf = (file: string, name: string): string | undefined =>
  lines(file).find(line => line.startsWith(`${name}:`))

// Members of a group are listed in the order in which they were added.
const linesWith = (file: string, name: string): string[] =>
  lines(file)
    .filter(line => line.split(':')[3]?.split(',').includes(name))
    .map(line => line.split(':')[0] ?? '')
