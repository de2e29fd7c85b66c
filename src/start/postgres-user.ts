import { readFile, stat } from 'node:fs/promises'
import { PanelError } from '../errors.ts'

// The user of PostgreSQL, which refuses to run as root. Started by root it runs as another user,
// who must reach a data directory below a folder that only root may enter; otherwise it runs as the
// user who starts it.

export type UnixUser = { uid: number; gid: number }

// Numbers of capabilities(7).
const capability = { dac_override: 1, dac_read_search: 2, setpcap: 8 }

/**
 * Returns the user to run PostgreSQL as: the current owner of the data directory, else `postgres`,
 * else `nobody`. Undefined means the user of this process, who is not root.
 */
export async function postgresUser(dataDir: string): Promise<UnixUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = parsePasswd(await readFile('/etc/passwd', 'utf8'))
  const owner = await stat(dataDir).catch(() => undefined)
  const user =
    users.find(({ uid }) => uid !== 0 && uid === owner?.uid) ??
    users.find(({ name }) => name === 'postgres') ??
    users.find(({ name }) => name === 'nobody')
  if (user === undefined) {
    throw new PanelError(
      'unavailable',
      'PostgreSQL cannot run as root, and there is no user postgres or nobody',
    )
  }
  return user
}

/** Returns the arguments of `setpriv` that switch to the user and keep the capability it needs. */
export async function becoming(user: UnixUser | undefined): Promise<string[]> {
  if (user === undefined) return []
  const status = await readFile('/proc/self/status', 'utf8')
  return becomingWith(user, BigInt(`0x${/^CapEff:\s*(\w+)$/m.exec(status)?.[1] ?? '0'}`))
}

/**
 * Returns them for a given set of effective capabilities. Reading and searching is enough below
 * closed folders; a container that dropped that capability usually still has the one to override.
 */
export function becomingWith({ uid, gid }: UnixUser, effective: bigint): string[] {
  const has = (name: keyof typeof capability) => (effective >> BigInt(capability[name])) & 1n
  const kept = has('dac_read_search')
    ? 'dac_read_search'
    : has('dac_override')
      ? 'dac_override'
      : undefined
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    // PostgreSQL asks access(2) for its own program, which ignores capabilities without this bit.
    ...(has('setpcap') ? ['--securebits=+no_setuid_fixup'] : []),
    ...(kept === undefined ? [] : [`--inh-caps=+${kept}`, `--ambient-caps=+${kept}`]),
  ]
}

function parsePasswd(text: string): (UnixUser & { name: string })[] {
  return text.split('\n').flatMap(line => {
    const [name, , uid, gid] = line.split(':')
    if (name === undefined || uid === undefined || gid === undefined) return []
    return [{ name, uid: Number(uid), gid: Number(gid) }]
  })
}
