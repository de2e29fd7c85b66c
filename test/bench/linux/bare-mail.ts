import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { mailboxFolder, mapFile, passwdFolder } from '../../../src/host/mail-server/paths.ts'

// Mailboxes as an administrator's script makes them: a line for Dovecot, a wait until it knows the
// mailbox, and a line in Postfix's maps. Its account is one that the panel leaves alone.

const run = promisify(execFile)
const uid = 1_900_000_000
const block = `# account ${uid}\n`

/** Has Postfix take mail for the domains. */
export function prepareBare(count: number): void {
  const domains = Array.from({ length: count }, (_, n) => `bare${n}.example ${uid}\n`)
  appendFileSync(mapFile('domains'), block + domains.join(''))
  for (const name of ['mailboxes', 'senders'] as const) appendFileSync(mapFile(name), block)
  execFileSync('postmap', [`lmdb:${mapFile('domains')}`])
  execFileSync('postfix', ['reload'], { stdio: 'ignore' })
}

export async function makeBare(address: string, password: string): Promise<void> {
  const [local = '', domain = ''] = address.split('@')
  const home = `${mailboxFolder}/${uid}/${domain}/${local}`
  mkdirSync(home, { recursive: true, mode: 0o711 })
  chownSync(home, uid, uid)
  const hashing = ['pw', '-s', 'BLF-CRYPT', '-r', '10', '-p', password]
  const hash = (await run('doveadm', hashing)).stdout.trim()
  const version = execFileSync('dovecot', ['--version']).toString()
  const quota = version.startsWith('2.3')
    ? 'userdb_quota_rule=*:storage=50M'
    : 'userdb_quota_storage_size=50M'
  const list = `${passwdFolder}/${domain}`
  writeFileSync(`${list}.new`, `${address}:${hash}:${uid}:${uid}::${home}::${quota}\n`)
  renameSync(`${list}.new`, list)
  for (let attempts = 0; ; attempts++) {
    try {
      await run('doveadm', ['user', address])
      break
    } catch (error) {
      if (attempts > 100) throw error
    }
  }
  for (const name of ['mailboxes', 'senders'] as const) {
    appendFileSync(mapFile(name), `${address} ${name === 'senders' ? address : uid}\n`)
    await run('postmap', [`lmdb:${mapFile(name)}`])
  }
}
