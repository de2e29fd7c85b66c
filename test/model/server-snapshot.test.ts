import t from 'tap'
import type { ServerSnapshot } from '../../src/model/server/host.ts'
import { keepSnapshot, readSnapshot } from '../../src/model/server/server-snapshot.ts'
import { openPanel } from '../support/panel.ts'

const { pool } = await openPanel(t)

t.test('a snapshot is kept whatever tools have printed', async t => {
  const sentence = 'nginx says «\0» and half of \ud83d'
  const written: ServerSnapshot = {
    checks: [{ name: 'services/nginx', state: 'failure', sentence, advice: 'look' }],
    ...{ addresses: [], load: [0, 0, 0], cores: 1, memory: { totalMb: 1, availableMb: 1 } },
    ...{
      disks: [],
      sshPorts: [],
      hostKeys: [],
      hooks: { folder: '/', scripts: [] },
      trash: [],
      reloads: {},
    },
    php: { byDefault: null, versions: [] },
  }
  await keepSnapshot(pool, written, 1)
  const { content } = await readSnapshot(pool)
  t.equal(content?.checks[0]?.sentence, 'nginx says «\ufffd» and half of \ufffd')
})
