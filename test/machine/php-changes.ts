import { dirname } from 'node:path'
import type { Test } from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { callPanel } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { asUser, visit, type LinuxPanel } from './machine.ts'
import { otherVersion } from './php-versions.ts'

const changes = 50
const visitors = 8

/** PHP settings of a website change many times in a row, and none of its visitors notices. */
export async function showChanges(
  t: Test,
  panel: LinuxPanel,
  own: string,
  listFailed: () => Promise<string>,
): Promise<void> {
  const body = { ...alice, username: 'chloe', domain: 'chloe.example' }
  const created = await panel.call('POST', '/api/v1/accounts', { body })
  t.equal(created.status, 201, created.text)
  // Some requests are in progress whenever something ends.
  const script = '<?php usleep(random_int(0, 30000)); echo "memory ", ini_get("memory_limit");'
  const { rows } = await panel.pool.query(
    `select uid from panel.accounts where username = 'chloe' and state = 'active'`,
  )
  const file = '/home/chloe/sites/chloe.example/public/slow.php'
  const put = await asUser(rows[0].uid, ['tee', file], script)
  t.equal(put.code, 0, put.stderr)
  const { token } = await createToken(panel.pool, {
    ...{ owner: 'admin', name: 'Changes', permission: 'Sites' },
  })
  const set = async (php: object | null) => {
    const path = '/api/v1/accounts/chloe/sites/chloe.example'
    const { status, text } = await panel.call('PATCH', path, { token, body: { php } })
    if (status !== 200) throw new Error(text)
  }
  const wrong: string[] = []
  let asked = 0
  let isOver = false
  const visiting = Array.from({ length: visitors }, async () => {
    while (!isOver) {
      const beganAt = Date.now()
      const { status, text } = await visit('chloe.example', '/slow.php').catch(error => ({
        status: 0,
        text: String(error),
      }))
      asked++
      if (status === 200 && text.startsWith('memory ')) continue
      const words = text.replaceAll(/<[^>]*>|\s+/g, ' ').slice(0, 60)
      wrong.push(`${status} ${words} after ${Date.now() - beganAt} ms`)
    }
  })
  const kinds = [
    { memory_limit_mb: 64 },
    { memory_limit_mb: 65 },
    { version: otherVersion },
    { version: own, timezone: 'Europe/Berlin' },
    null,
  ]
  const beganAt = Date.now()
  for (let done = 0; done < changes; done++) await set(kinds[done % kinds.length]!)
  t.comment(`${changes} changes in ${Date.now() - beganAt} ms, ${asked} visits`)
  isOver = true
  await Promise.all(visiting)
  t.strictSame(wrong.slice(0, 10), [], `${wrong.length} of ${asked} visits`)
  t.equal(await listFailed(), '', 'no master was killed while it started')
  const environment = { DATABASE_URL: panel.databaseUrl, PANEL_STATE_DIR: dirname(panel.root) }
  const gone = await callPanel(['account', 'terminate', 'chloe', '--yes'], environment)
  t.equal(gone.code, 0, gone.stderr)
}
