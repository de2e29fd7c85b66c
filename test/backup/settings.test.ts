import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { settingsName } from '../../src/backup/kept-folders.ts'
import { takeFiles } from '../../src/backup/restore-files.ts'
import { scratch } from '../support/scratch.ts'

// panel.env of a restored server: settings from the backup, but places from this machine.

const path = join(scratch(t), 'panel.env')
const own = `# of the machine
DATABASE_URL=postgres:///panel?host=/run/postgresql
PANEL_STATE_DIR=/srv/panel
PANEL_LISTEN=127.0.0.1:9090
 PANEL_KEY=/srv/key
PANEL_HOSTNAME=fresh.example.com
PANEL_TRASH_HOURS=1
`
const backedUp = `# of the old server
DATABASE_URL=postgres://elsewhere/panel
PANEL_STATE_DIR=/var/lib/panel
PANEL_LISTEN=0.0.0.0:8080
PANEL_HOSTNAME=panel.example.com
PANEL_WEBHOOK_ALLOW=10.0.0.0/8
PANEL_TRASH_HOURS=72
PANEL_ADDRESSES=192.0.2.1
`

const lines = () => readFileSync(path, 'utf8').split('\n').sort()

t.test('settings that say where something is stay, all others come from the backup', async t => {
  writeFileSync(path, own)
  chmodSync(path, 0o640)
  const take = takeFiles([{ name: settingsName, path, mode: 0o600 }])
  const merged = [
    '',
    ' PANEL_KEY=/srv/key',
    '# of the old server',
    'DATABASE_URL=postgres:///panel?host=/run/postgresql',
    'PANEL_HOSTNAME=panel.example.com',
    'PANEL_LISTEN=127.0.0.1:9090',
    'PANEL_STATE_DIR=/srv/panel',
    'PANEL_TRASH_HOURS=72',
    'PANEL_WEBHOOK_ALLOW=10.0.0.0/8',
  ]
  await take(settingsName, Buffer.from(backedUp))
  t.strictSame(lines(), merged)
  t.equal(statSync(path).mode & 0o777, 0o640, 'its mode is kept as installed')
  await take(settingsName, Buffer.from(backedUp))
  t.strictSame(lines(), merged, 'and the same once more')
})

t.test('a file under another name is left alone', async t => {
  const take = takeFiles([{ name: settingsName, path, mode: 0o600 }])
  const before = lines()
  await take('files/unknown', Buffer.from('DATABASE_URL=x'))
  t.strictSame(lines(), before)
})
