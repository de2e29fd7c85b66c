import t from 'tap'
import { compare, inWords } from '../../src/cli/ctl/account-drift.ts'
import { readConfig } from '../../src/config.ts'
import type { Rebuildable } from '../../src/model/jobs/rebuilds.ts'
import { scratch } from '../support/scratch.ts'

t.test('many are compared some at a time, so that a bar can move', async t => {
  // Rows that are not fit for the machine: each is reported as drift.
  const record = {
    username: 'root\u001b',
    package: {},
    sites: [],
    sftpKeys: [],
  } as unknown as Rebuildable['record']
  const accounts: Rebuildable[] = Array(60).fill({ record, passwordHash: '' })
  const config = readConfig({ PANEL_STATE_DIR: scratch(t) })
  const seen: string[] = []
  const moving = setInterval(() => seen.push('moved'), 0)
  t.teardown(() => clearInterval(moving))
  const differing = await compare(config, accounts, more => seen.push(`${more} more`))

  t.equal(differing.length, 60)
  const { username, differences } = differing[0]!
  t.match(inWords(username, differences), /^root: the row does not fit: /)
  const batches = seen.filter(one => one !== 'moved')
  t.strictSame(batches, ['20 more', '20 more', '20 more'])
  t.ok(seen.slice(seen.indexOf('20 more'), seen.lastIndexOf('20 more')).includes('moved'))
})
