import * as fs from 'node:fs'
import { join } from 'node:path'
import type { WholePanel } from '../../support/cli/whole-panel.ts'
import { made, mode } from './breaking.ts'
import type { Staged } from './staged.ts'

// Files and folders that others may read or write.

export function brokenPermissions({ root, stateDir }: WholePanel): Staged[] {
  const at = (path: string) => join(root, path)
  return [
    {
      check: 'permissions/key',
      state: 'failure',
      words: /is open to other users/,
      broken: mode(join(stateDir, 'key'), 0o644),
      fixed: /chmod 640/,
    },
    {
      check: 'permissions/key',
      state: 'failure',
      words: /has no key/,
      broken: () => {
        fs.renameSync(join(stateDir, 'key'), join(stateDir, 'key.away'))
        return () => fs.renameSync(join(stateDir, 'key.away'), join(stateDir, 'key'))
      },
    },
    {
      check: 'permissions/state-folder',
      state: 'failure',
      words: /open to others \(755\)/,
      broken: mode(stateDir, 0o755),
      fixed: /chmod 700/,
    },
    {
      check: 'permissions/first-start',
      state: 'failure',
      words: /the first password and token/,
      broken: mode(join(stateDir, 'first-start.json'), 0o640),
      fixed: /chmod 600/,
    },
    {
      check: 'permissions/logs',
      state: 'warning',
      words: /Others may read logs: .*staged\.log/,
      broken: made(join(stateDir, 'log/staged.log'), '', 0o644),
      fixed: /closed 1 log/,
    },
    {
      check: 'permissions/license',
      state: 'failure',
      words: /license is open to others \(666\)/,
      broken: made(join(stateDir, 'license'), '{}', 0o666),
      fixed: /chmod 644/,
    },
    {
      check: 'permissions/folders',
      state: 'failure',
      words: /\/home\/\.trash/,
      broken: mode(at('home/.trash'), 0o755),
      fixed: /created or closed/,
    },
    {
      check: 'permissions/folders',
      state: 'failure',
      words: /\/var\/lib\/panel\/web\/certs/,
      broken: () => fs.rmdirSync(at('var/lib/panel/web/certs')),
      fixed: /created or closed/,
    },
    {
      check: 'permissions/sftp-keys',
      state: 'failure',
      words: /20000 may be written by others/,
      broken: made(at('etc/panel/keys/20000'), 'ssh-ed25519 x', 0o666),
    },
    {
      check: 'permissions/hook-scripts',
      state: 'failure',
      words: /nowhere does not exist/,
      broken() {
        const folder = join(stateDir, 'hooks/account.created.d')
        fs.mkdirSync(folder, { recursive: true })
        fs.symlinkSync('nowhere', join(folder, 'mail.sh'))
        return () => fs.rmSync(join(stateDir, 'hooks'), { recursive: true })
      },
    },
    {
      check: 'permissions/hook-scripts',
      state: 'failure',
      words: /mail\.sh may be written by others/,
      broken: made(join(stateDir, 'hooks/account.created.d/mail.sh'), '#!/bin/sh\n', 0o777),
    },
    {
      check: 'installation/restore',
      state: 'failure',
      words: /data is incomplete: api, worker and courier do not start/,
      broken: made(join(stateDir, 'replacing-rows')),
    },
    {
      check: 'permissions/hook-folders',
      state: 'warning',
      words: /account\.create\.d/,
      broken: made(join(stateDir, 'hooks/account.create.d/mail.sh')),
    },
    {
      check: 'permissions/hook-folders',
      state: 'failure',
      words: /hooks is not a folder: no hook script runs/,
      broken: made(join(stateDir, 'hooks')),
    },
  ]
}
