import { existsSync } from 'node:fs'
import t from 'tap'
import { asUser } from '../machine.ts'
import { secrets, sources } from '../never-served.ts'
import { ask, statusOf } from '../raw.ts'
import { openWebsites, report } from '../served.ts'

// A website that is set to serve its sources: what opens, what stays closed, and that the next
// visitor sees the switch.

const { panel, folder: directory, make, shown, set, uidOf } = await openWebsites(t)
const toPath = (name: string) => `/${encodeURI(name)}`.replace('#', '%23')
const text = '<?php "secret source"; '
const filesOf = (names: string[]) => Object.fromEntries(names.map(name => [name, text]))
const folders = ['', 'blog/', '.well-known/']
const everywhere = (names: string[]) =>
  folders.flatMap(folder => names.map(name => `${folder}${name}`))

await make({ 'index.php': report('root'), 'blog/index.php': report('blog') })
await make(filesOf(everywhere([...sources, ...secrets])))
const scripts = {
  'run.php': report('run'),
  'Upper.PHP': text,
  'folder.inc/index.php': report('inc'),
}
await make({ ...scripts, 'vendor/autoload.php': '<?php', 'vendor/style.css': 'to be seen' })
const library = {
  'src/tool.php': report('tool'),
  'src/tool.inc': text,
  'lib/index.php': report('lib'),
}
await make(library, ['eve', `${directory}/vendor`])
await make(filesOf(['hidden.inc']), ['nina', '/home/nina/sites/nina.example/public'])

const expectClosed = async (names: string[]) => {
  for (const name of names) {
    const output = await ask('eve.example', toPath(name))
    t.equal(statusOf(output), 404, name)
    t.notMatch(output, 'secret source', name)
  }
}

t.test('sources open, at once, and run nowhere', async t => {
  await expectClosed(['hidden.inc', 'vendor/style.css'])
  await set('--serve-sources', 'yes')
  await set('--serve-sources', 'yes')
  for (const name of everywhere(sources)) {
    const output = await ask('eve.example', toPath(name))
    t.equal(statusOf(output), 200, name)
    t.ok(output.endsWith(text), name)
    t.notMatch(output, /^content-type: text\/(html|javascript)/im, name)
  }
  t.match(await shown('/none.sql'), { name: 'root' }, 'what is no file is the application’s')
  t.match(await shown('/blog/none.phtml'), { name: 'blog' })
  t.match(await ask('eve.example', '/folder.inc'), /^HTTP\/1.1 301 .*location: \/folder.inc\//is)
  t.match(await shown('/folder.inc/'), { name: 'inc' })
  t.equal(statusOf(await ask('nina.example', '/hidden.inc')), 404, 'a neighbour’s are closed')
})

t.test('secrets stay closed, and scripts are run', async t => {
  await expectClosed(everywhere(secrets))
  for (const path of ['/Upper.PHP', '/upper.php', '/Upper.PHP/x', '/Upper.PHP/', '/run.php']) {
    t.notMatch(await ask('eve.example', path), 'secret source', path)
  }
  t.match(await shown('/run.php/x'), { name: 'run', PATH_INFO: '/x' })
  for (const path of ['/wp-config.php/x', '/blog/../.env', '//.env', '/%2eenv', '/x.sql/../.env']) {
    t.notMatch(await ask('eve.example', path), 'secret source', path)
  }
})

t.test('libraries’ files are served, and no script is', async t => {
  t.match(await shown('/vendor/style.css'), { status: 200, body: 'to be seen' })
  t.match(await shown('/vendor/src/tool.inc'), { status: 200, body: text })
  const closed = [
    'src/tool.php',
    'src/tool.php/x',
    'autoload.php',
    'lib/',
    'lib/x',
    'lib/index.php',
  ]
  for (const path of closed) t.equal((await shown(`/vendor/${path}`)).status, 404, path)
})

t.test('a link to a neighbour’s source is not followed', async t => {
  const target = '/home/nina/sites/nina.example/public/hidden.inc'
  await asUser(uidOf('eve'), ['ln', '-s', target, `${directory}/linked.inc`])
  await asUser(uidOf('eve'), ['ln', '-s', '/etc/passwd', `${directory}/passwd.inc`])
  await asUser(uidOf('eve'), ['ln', '-s', 'run.php', `${directory}/own.inc`])
  for (const path of ['/linked.inc', '/passwd.inc']) t.match(await shown(path), { name: 'root' })
  t.match(await shown('/own.inc'), { status: 200, body: /^<\?php/ }, 'its account’s own word')
})

t.test('a suspended website is closed, and sources close at once', async t => {
  await panel.call('POST', '/api/v1/accounts/eve/suspend')
  t.match(await shown('/hidden.inc'), { status: 503 })
  await panel.call('POST', '/api/v1/accounts/eve/unsuspend')
  t.match(await shown('/hidden.inc'), { status: 200 })
  await set('--serve-sources', 'no')
  await expectClosed(everywhere([...sources, ...secrets]))
  t.equal((await shown('/vendor/style.css')).status, 404)
  const { rows } = await panel.pool.query('select id from panel.sites order by id limit 1')
  const live = `/var/lib/panel/web/live/${String(rows[0].id).padStart(10, '0')}`
  t.ok(existsSync(live))
  t.notOk(existsSync(`${live}/sources`))
})
