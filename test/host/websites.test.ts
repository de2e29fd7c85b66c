import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import t from 'tap'
import { apply } from '../../src/host/apply.ts'
import { rebuildOf } from '../../src/host/rebuild.ts'
import { listDrift, takeSnapshot } from '../../src/host/drift.ts'
import { prepare, sharedDrift } from '../../src/host/shared.ts'
import { inShort } from '../../src/host/tools/file-drift.ts'
import { ensureLink } from '../../src/host/tools/files.ts'
import { listWebsites, removeWebsites } from '../../src/host/web/orphaned-websites.ts'
import type { HostAccount } from '../../src/model/accounts/host-account.ts'
import type { SiteSettings } from '../../src/model/sites/site-settings.ts'
import { alice, bob, sandbox, straight, tree } from '../support/host/sandbox.ts'

// The folders in which nginx finds a website.

const web = '/var/lib/panel/web'
const suspended = { ...alice, desired: 'suspended' as const }
const terminated = { ...alice, desired: 'terminated' as const }

t.test('each name leads to the website, and one link switches all of them', async t => {
  const { machine } = await sandbox(t)
  const target = (path: string) => readlinkSync(machine.path(`${web}/${path}`))
  await apply(machine, alice, straight)
  t.equal(target('names/alice.example'), '../sites/0000000007')
  t.equal(target('names/www.alice.example'), '../sites/0000000007')
  t.equal(target('sites/0000000007'), '../live/0000000007')
  for (const scheme of ['http', 'https']) {
    t.equal(target(`live/0000000007/${scheme}`), '/home/alice/sites/alice.example/public')
  }
  t.equal(target('live/0000000007/php.sock'), '/run/panel/php/20001.sock')
  await apply(machine, suspended, straight)
  t.equal(target('sites/0000000007'), '../suspended/0000000007')
  t.ok(lstatSync(machine.path(`${web}/suspended/0000000007/suspended`)).isDirectory())
})

t.test('settings are found through a link, which one rename changes', async t => {
  const { machine } = await sandbox(t)
  const [site] = alice.sites
  const having = (settings: SiteSettings) => ({ ...alice, sites: [{ ...site!, settings }] })
  const full = having({
    serves_sources: true,
    fallback: 'none',
    www: 'prefer',
    hsts_seconds: 60,
    redirects: { '/old/page': { to: 'https://new.example/a/', code: 301 } },
    protected_paths: ['/a', '/b/c'],
    users: { carol: '$6$salt$hash' },
    headers: { frame: 'DENY', nosniff: true },
  })
  const live = machine.path(`${web}/live/0000000007`)
  const drift = async (account: HostAccount) =>
    listDrift((await takeSnapshot(machine)).driftOf(account)).map(inShort)
  await apply(machine, alice, straight)
  t.notOk(existsSync(`${live}/set`), 'a website has none at first')
  t.strictSame(await drift(alice), [])
  t.match(await drift(full), [/live\/0000000007\/set/])
  for (const account of [full, full, { ...full, desired: 'suspended' as const }]) {
    await apply(machine, account, straight)
    t.strictSame(await drift(account), [])
  }
  const values = 'v/=snwrpx/60/DENY/-/alice.example/=p/:/a:/b/c:/=e'
  t.equal(readlinkSync(`${live}/set/values`), values)
  t.ok(lstatSync(`${live}/set/${values}`).isDirectory())
  t.equal(readlinkSync(`${live}/set/paths/old/page/=to`), '../../../t/301/https/new.example/a/=')
  t.ok(existsSync(`${live}/set/paths/old/page/=to`))
  t.equal(readFileSync(`${live}/set/users`, 'utf8'), 'carol:$6$salt$hash\n')
  await apply(machine, full, straight)
  for (const spoil of [
    () => rmSync(`${live}/set/users`),
    () => rmSync(`${live}/set/values`),
    () => rmSync(`${live}/set/paths`, { recursive: true }),
    () => rmSync(`${live}/settings`, { recursive: true }),
    () => rmSync(`${live}/set`),
    () => writeFileSync(`${live}/set/users`, 'mallory:x'),
  ]) {
    spoil()
    t.equal((await drift(full)).length, 1)
    await apply(machine, full, straight)
    t.strictSame(await drift(full), [])
  }
  rmSync(`${live}/settings`, { recursive: true })
  writeFileSync(`${live}/settings`, 'in its place')
  await apply(machine, full, straight)
  t.strictSame(await drift(full), [], 'what is in its place is put aside')
  for (const seconds of [1, 2, 3]) await apply(machine, having({ hsts_seconds: seconds }), straight)
  t.equal(readdirSync(`${live}/settings`).length, 2, 'only the one before is kept')
  await apply(machine, alice, straight)
  t.equal(readlinkSync(`${live}/set/values`), 'v/=/-/-/-/alice.example/=p/=e')
  t.strictSame(await drift(alice), [])
})

t.test('the name with www is served unless it is off', async t => {
  const { machine } = await sandbox(t)
  const [site] = alice.sites
  const off = { ...alice, sites: [{ ...site!, settings: { www: 'off' as const } }] }
  const names = () => readdirSync(machine.path(`${web}/names`))
  const drift = async (account: HostAccount) =>
    listDrift((await takeSnapshot(machine)).driftOf(account)).map(inShort)
  await apply(machine, alice, straight)
  t.match(await drift(off), [/\/set/, /^www\.alice\.example is still served$/])
  await apply(machine, off, straight)
  t.strictSame(names(), ['alice.example'])
  t.strictSame(await drift(off), [])
  await apply(machine, alice, straight)
  t.strictSame(names(), ['alice.example', 'www.alice.example'])
})

t.test('nothing is tested and nothing reloaded in the life of an account', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  standIn('nginx', 'exit 1')
  standIn('systemctl')
  for (const account of [alice, suspended, alice, terminated]) {
    await apply(machine, account, straight)
  }
  t.notMatch(calls().join('\n'), /nginx/)
})

t.test('a name that is another website’s by now is left to it', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  await apply(machine, { ...alice, sites: [], deleting: alice.sites }, straight)
  const heir: HostAccount = { ...bob, sites: [{ id: '8', domain: 'alice.example' }] }
  await apply(machine, heir, straight)
  const before = tree(root)
  await apply(machine, { ...alice, sites: [], deleting: alice.sites }, straight)
  t.strictSame(tree(root), before)
})

t.test('anything in the place of a link is replaced, and a folder is put aside', async t => {
  const { root, machine } = await sandbox(t)
  const after = async () => {
    await apply(machine, alice, straight)
    return tree(root)
  }
  const expected = await after()
  const aside = (folder: string) =>
    relative(root, join(dirname(folder), `.moved-1-${basename(folder)}`))
  const [name, site] = ['names/alice.example', 'sites/0000000007'].map(path =>
    machine.path(`${web}/${path}`),
  ) as [string, string]
  for (const path of [name, site]) {
    for (const put of [() => symlinkSync('/etc', path), () => writeFileSync(path, 'mine')]) {
      rmSync(path)
      put()
      t.strictSame(await after(), expected)
    }
    rmSync(path)
    mkdirSync(path)
    const { [aside(path)]: folder, ...others } = await after()
    t.ok(folder?.startsWith('4'), 'nothing of it is deleted')
    t.strictSame(others, expected)
    rmSync(join(root, aside(path)), { recursive: true })
  }
})

t.test('a difference is seen and put right', async t => {
  const { root, machine } = await sandbox(t)
  const look = async () => listDrift((await takeSnapshot(machine)).driftOf(alice)).map(inShort)
  await apply(machine, alice, straight)
  const before = tree(root)
  const links = ['names/www.alice.example', 'sites/0000000007', 'live/0000000007/https']
  for (const path of links.map(link => `${web}/${link}`)) {
    rmSync(machine.path(path))
    t.strictSame(await look(), [`${path} was missing`])
    ensureLink(machine.path(path), '/etc')
    t.strictSame(await look(), [`${path} was different`])
    await apply(machine, alice, straight)
    t.strictSame(tree(root), before)
  }
  // nginx could not look into them.
  for (const folder of [
    'live/0000000007',
    'suspended/0000000007',
    'suspended/0000000007/suspended',
  ]) {
    chmodSync(machine.path(`${web}/${folder}`), 0o700)
    t.strictSame(await look(), [`the folder ${web}/${folder} differs`])
    const { part } = await rebuildOf(machine).compare(alice)
    t.strictSame(part, ['websites'])
    await apply(machine, alice, straight, part)
    t.strictSame(tree(root), before)
  }
})

t.test('websites that no account has are found by whatever is left of them', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const before = tree(root)
  await apply(machine, { ...bob, desired: 'suspended' }, straight)
  t.strictSame([...listWebsites(machine).siteIds].sort(), ['7', '8'])
  const at = (path: string) => machine.path(`${web}/${path}`)
  for (const path of ['live/0000000009', 'suspended/0000000010']) mkdirSync(at(path))
  symlinkSync('../live/0000000011', at('sites/0000000011'))
  symlinkSync('../sites/0000000011', at('names/old.example'))
  symlinkSync('../certs/0000000013.pem', at('tls/old.example'))
  writeFileSync(at('certs/0000000013.pem'), 'a key')
  const { siteIds } = listWebsites(machine)
  const orphans = siteIds.filter(id => id !== '7')
  t.strictSame(
    orphans.map(Number).sort((one, other) => one - other),
    [8, 9, 10, 11, 13],
  )
  const names = ['bob.example', 'www.bob.example', 'old.example']
  await removeWebsites(machine, { siteIds: orphans, names })
  const isOfWeb = ([path]: [string, string]) => path.startsWith(web.slice(1))
  const ofWeb = (all: Record<string, string>) => Object.entries(all).filter(isOfWeb)
  t.strictSame(ofWeb(tree(root)), ofWeb(before))
})

t.test('names that no website has lead nowhere afterwards', async t => {
  const { root, machine } = await sandbox(t)
  await apply(machine, alice, straight)
  const before = tree(root)
  for (const part of ['names', 'tls']) {
    symlinkSync('../sites/0000000007', machine.path(`${web}/${part}/orphan.example`))
    symlinkSync('/srv', machine.path(`${web}/${part}/other.example`))
  }
  const known = ['alice.example', 'www.alice.example']
  const orphans = listWebsites(machine).names.filter(name => !known.includes(name))
  t.strictSame(orphans.sort(), ['orphan.example', 'other.example'])
  await removeWebsites(machine, { siteIds: [], names: orphans })
  t.strictSame(tree(root), before)
})

t.test('nginx reads its configuration again only where it differed', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  for (const tool of ['nginx', 'systemctl']) standIn(tool)
  await prepare(machine)
  t.notMatch(calls().join('\n'), /nginx/)
  rmSync(machine.path('/etc/nginx/conf.d/panel.conf'))
  await prepare(machine)
  t.match(calls().join('\n'), /nginx -t -q\nsystemctl reload -- nginx/)
  t.strictSame(sharedDrift(machine), [])
})

t.test('a reload that failed is done by the next process', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  rmSync(machine.path('/etc/nginx/conf.d/panel.conf'))
  standIn('systemctl', 'case "$*" in reload*nginx*) exit 1;; esac')
  await prepare(machine)
  t.strictSame(sharedDrift(machine).map(inShort), ['nginx has not read its configuration'])
  standIn('systemctl')
  calls()
  await machine.ensureShared()
  t.ok(calls().includes('systemctl reload -- nginx'))
  t.strictSame(sharedDrift(machine), [])
})

t.test('a machine whose nginx refuses the configuration stays as it was', async t => {
  const { machine, standIn } = await sandbox(t)
  const [own, shared] = ['/etc/nginx/nginx.conf', '/etc/nginx/conf.d/panel.conf'].map(path =>
    machine.path(path),
  ) as [string, string]
  const text = 'user www-data;\nhttp { \n include conf.d/*.conf;\n }\n'
  writeFileSync(own, text)
  rmSync(shared)
  standIn('nginx', 'exit 1')
  await prepare(machine)
  t.notOk(existsSync(shared))
  t.match(tree(machine.path('/etc/nginx'))['nginx.conf'], text)
  standIn('nginx')
  await prepare(machine)
  t.match(tree(machine.path('/etc/nginx'))['nginx.conf'], 'user panel-web;\n')
})

t.test('challenges are answered for one account, which is the name of a folder', async t => {
  const { machine, standIn, calls } = await sandbox(t)
  standIn('systemctl')
  const { answerChallenges } = await import('../../src/host/web/nginx-prepare.ts')
  const link = machine.path(`${web}/acme/account`)
  t.equal(readlinkSync(link), 'none')
  for (const thumbprint of ['x'.repeat(43), 'x'.repeat(43), 'y'.repeat(43)]) {
    await answerChallenges(machine, thumbprint)
    t.equal(readlinkSync(link), thumbprint)
    t.ok(readdirSync(machine.path(`${web}/acme`)).includes(thumbprint))
  }
  await prepare(machine)
  t.equal(readlinkSync(link), 'y'.repeat(43), 'a new worker keeps it')
  t.notMatch(calls().join('\n'), /nginx/)
})
