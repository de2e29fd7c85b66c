import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import t from 'tap'
import { sftpGroup } from '../../../src/host/access/sftp.ts'
import { home } from '../../../src/host/accounts/home.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { prepare } from '../../../src/host/shared.ts'
import { alice } from '../../support/host/sandbox.ts'
import { run } from '../machine.ts'

// Folders of websites that leave, which are moved as their owner, whatever it makes of its folders.

let meanwhile = () => {}
/** The users as which anything was renamed. */
let movers: (number | undefined)[] = []
const machine = openMachine({
  kind: 'linux',
  root: '/',
  runTool: plain => async (command, args, options) => {
    if (command === 'perl') {
      meanwhile()
      movers.push(options?.as)
    }
    return plain(command, args, options)
  },
})
await prepare(machine)
await machine.users.ensure(alice, sftpGroup)

const { uid } = alice
const after = { ...alice, sites: [], deleting: alice.sites }
const [folder, aside] = [
  '/home/alice/sites/alice.example',
  '/home/alice/files/removed-alice.example',
]
const leave = async () => home.removeDeleted?.(machine, after)
const reported = {
  code: 'removed_site_folders_kept',
  sentence: 'The folders of these removed websites cannot be set aside: alice.example',
}

t.beforeEach(async () => {
  meanwhile = () => {}
  rmSync('/home/alice', { recursive: true, force: true })
  await home.ensure?.(machine, alice)
  movers = []
})

t.test('the folder is moved as its owner, and once', async t => {
  t.equal(await leave(), undefined)
  t.strictSame(movers, [uid])
  t.ok(existsSync(`${aside}/public/index.html`))
  t.equal(statSync(aside).uid, uid)
  t.equal(await leave(), undefined)
  t.strictSame(movers, [uid], 'no process is started for an empty folder')
})

t.test('a folder that is closed to its owner is opened to delete it', async t => {
  chmodSync(folder, 0o500)
  t.equal(await leave(), undefined)
  t.ok(existsSync(`${aside}/public/index.html`))
  await home.ensure?.(machine, alice)
  chmodSync('/home/alice/sites', 0o510)
  t.match(await leave(), reported, 'but not the folder of all websites')
  t.ok(existsSync(`${folder}/public/index.html`))
  chmodSync('/home/alice/sites', 0o710)
  t.equal(await leave(), undefined)
  t.ok(existsSync(`${aside}-2/public/index.html`))
})

t.test('another user’s folder is never moved', async t => {
  rmSync(folder, { recursive: true })
  mkdirSync(folder, { mode: 0o755 })
  writeFileSync(`${folder}/roots`, 'as it was')
  t.match(await leave(), reported)
  t.equal(readFileSync(`${folder}/roots`, 'utf8'), 'as it was')
})

t.test('a link is moved as a link, and what it leads to stays', async t => {
  mkdirSync('/srv/kept', { recursive: true })
  chownSync('/srv/kept', uid, uid)
  writeFileSync('/srv/kept/file', 'as it was')
  meanwhile = () => {
    meanwhile = () => {}
    rmSync(folder, { recursive: true })
    symlinkSync('/srv/kept', folder)
    symlinkSync('/srv/kept', aside)
  }
  t.equal(await leave(), undefined)
  t.equal(readlinkSync(`${aside}-2`), '/srv/kept')
  t.equal(readFileSync('/srv/kept/file', 'utf8'), 'as it was')
  t.notOk(existsSync('/srv/kept/removed-alice.example'))
})

t.test('a folder that its owner moves away meanwhile counts as deleted', async t => {
  meanwhile = () => renameSync(folder, '/home/alice/sites/elsewhere')
  t.equal(await leave(), undefined)
  t.notOk(existsSync(aside))
  t.ok(existsSync('/home/alice/sites/elsewhere/public/index.html'))
})

t.test('a disk that accepts no further name is reported, and nothing is lost', async t => {
  await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=64k,nr_inodes=4,uid=${uid}`,
    'none',
    aside.replace(/\/[^/]*$/, ''),
  ])
  t.teardown(() => run('umount', ['/home/alice/files']))
  t.match(await leave(), reported, 'as little as one that is another disk')
  t.ok(existsSync(`${folder}/public/index.html`))
})
