import { CommandError } from '../tools/run.ts'
import { readFile } from '../tools/files.ts'
import type { Machine } from '../contract.ts'
import type { HostKey } from '../../model/server/server-snapshot.ts'
import { fingerprintOf } from '../../model/sftp-keys/public-keys.ts'

// The keys by which SFTP programs know the server.

// A dump of sshd's configuration takes some milliseconds.
const limitMs = 10_000

// The order in which a reader looks for one: OpenSSH prefers the first.
const order = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa']

/**
 * Returns the public host keys in sshd's effective configuration; none where it is not installed or
 * refuses its configuration.
 */
export async function listHostKeys(machine: Machine): Promise<HostKey[]> {
  try {
    const effective = await machine.run('sshd', ['-T'], { timeoutMs: limitMs })
    return [...effective.matchAll(/^hostkey (.+)$/gm)]
      .flatMap(([, path = '']) => toHostKey(readFile(machine.path(`${path}.pub`))))
      .sort((one, other) => rankOf(one) - rankOf(other))
  } catch (error) {
    if (error instanceof CommandError) return []
    throw error
  }
}

function toHostKey(text = ''): HostKey[] {
  const [kind = '', base64 = ''] = text.trim().split(/ +/)
  const isKey = /^[a-z0-9@.-]{1,60}$/.test(kind) && base64 !== ''
  return isKey ? [{ kind, fingerprint: fingerprintOf(`${kind} ${base64}`) }] : []
}

const rankOf = ({ kind }: HostKey): number =>
  order.includes(kind) ? order.indexOf(kind) : order.length
