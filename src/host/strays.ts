import * as fs from 'node:fs'
import type { HostAccount } from '../model/host-account.ts'
import type { Machine } from './machine.ts'

// Where everybody may write; what is put there outlives a home.
const places = ['/tmp', '/var/tmp', '/dev/shm', '/run/lock']

// Far more than a full disk of small files takes.
const limitMs = 120_000

/** Removes what the account left where everybody may write. */
export async function removeStrays(machine: Machine, { uid }: HostAccount): Promise<void> {
  if (machine.kind === 'sandbox') return
  // As the user: wherever it may have planted links, it could have removed the same itself. Files
  // that go meanwhile make `find` end with 1.
  await machine.run('find', [...places, '-xdev', '-uid', String(uid), '-delete'], {
    as: uid,
    timeoutMs: limitMs,
    acceptedCodes: [1],
  })
  removeSessions(uid)
}

// Where Debian's PHP keeps sessions that are begun outside of php-fpm, as by cron: everybody may
// write there and root alone may list it. What is removed is a name, which no link leads on from.
const sessions = '/var/lib/php/sessions'

function removeSessions(uid: number): void {
  if (!fs.existsSync(sessions)) return
  for (const name of fs.readdirSync(sessions)) {
    const found = fs.lstatSync(`${sessions}/${name}`, { throwIfNoEntry: false })
    if (found?.uid === uid && !found.isDirectory())
      fs.rmSync(`${sessions}/${name}`, { force: true })
  }
}
