import { randomBytes } from 'node:crypto'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alice, type Panel } from '../panel.ts'
import { install } from '../hooks/hooks.ts'
import { runPanel, type Output } from './run-panel.ts'

/** Runs a command that derives keys from passphrases, in a process of its own. */
export const runQuick = (
  words: string[],
  environment: Record<string, string>,
  input = '',
): Promise<Output> => runPanel(words, environment, input, join(import.meta.dirname, 'quick-key.ts'))

export const passphrase = 'correct horse battery staple'

export const account = alice

/** Gives a panel all that a backup keeps: an active and a suspended account, and a script. */
export async function waitUntilIdle(panel: Panel, stateDir: string): Promise<void> {
  writeFileSync(join(stateDir, 'key'), randomBytes(32), { mode: 0o600 })
  await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
  for (const username of ['alice', 'bob']) {
    const body = { ...alice, username, domain: `${username}.example` }
    const { status, text } = await panel.call('POST', '/api/v1/accounts', { body, key: username })
    if (status !== 201) throw new Error(text)
  }
  await panel.call('POST', '/api/v1/accounts/bob/suspend', { body: { reason: 'Late' } })
  const files = join(panel.root, 'home/alice/files')
  writeFileSync(join(files, 'a letter'), 'dear', { mode: 0o604 })
  symlinkSync('/etc/passwd', join(files, 'link'))
  install(join(panel.root, 'etc/panel/hooks/account.suspended.d/report'), '#!/bin/sh\ncat\n')
}
