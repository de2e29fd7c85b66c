import { dirname } from 'node:path'
import type { Test } from 'tap'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { asUser, openLinuxPanel, startServices, visit } from './machine.ts'

// Two accounts with websites behind nginx, and what files they put there.

/** A script that prints its name, and its request's parameters. */
export const report = (name: string): string => {
  const reported = 'SCRIPT_NAME PATH_INFO PHP_SELF REQUEST_URI QUERY_STRING SCRIPT_FILENAME'
  const some = `array_intersect_key($_SERVER, array_flip(explode(' ', '${reported}')))`
  return `<?php echo "${name} ", json_encode(${some}, JSON_UNESCAPED_SLASHES);`
}

/** Opens a panel with the accounts eve and nina. */
export async function openWebsites(t: Test) {
  startServices('nginx')
  const panel = await openLinuxPanel(t)
  await panel.startMachineWorker()
  await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 512 } })
  for (const username of ['eve', 'nina']) {
    const body = { ...alice, username, domain: `${username}.example` }
    const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
    if (status !== 201) throw new Error(text)
  }
  const { rows } = await panel.pool.query('select username, uid from panel.accounts')
  const uidOf = (username: string): number => rows.find(row => row.username === username).uid
  const folder = '/home/eve/sites/eve.example/public'

  // With the folders that they are in.
  async function make(
    files: Record<string, string>,
    [user, at]: [string, string] = ['eve', folder],
  ): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = `${at}/${name}`
      await asUser(uidOf(user), ['mkdir', '-p', path.slice(0, path.lastIndexOf('/'))])
      const { code, stderr } = await asUser(uidOf(user), ['tee', path], text)
      if (code !== 0) throw new Error(stderr)
    }
  }

  const shown = async (path: string, host = 'eve.example') => {
    const { status, text } = await visit(host, path)
    const [, name, json = ''] = /^(\w+) (\{.*\})$/s.exec(text) ?? []
    if (name === undefined) return { status, body: text }
    return { status, name, ...(JSON.parse(json) as Record<string, string>) }
  }
  const words = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
  /** Executes a command about the website of eve. */
  const set = async (...options: string[]) => {
    const result = await callPanel(['site', 'set', 'eve', 'eve.example', ...options], words)
    if (result.code !== 0) throw new Error(result.stderr)
  }
  return { panel, uidOf, folder, make, shown, set }
}
