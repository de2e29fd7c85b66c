import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Agent, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import t from 'tap'
import { linuxFiles } from '../../../src/host/accounts/linux-files.ts'
import { run as runTool } from '../../../src/host/tools/run.ts'
import { callPanel } from '../../support/cli/run-panel.ts'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { tendHomes } from '../tend.ts'
import { asUser, openLinuxPanel, run, sftp, startServices, visit } from '../machine.ts'

// Visitors see what an account puts into its websites, by whichever way it comes there; what they
// do not see, the doctor names.

startServices('nginx', 'sshd')
const panel = await openLinuxPanel(t)
let worker = await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 256 } })
for (const username of ['eve', 'nina']) {
  const body = { ...alice, username, domain: `${username}.example` }
  const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
  if (status !== 201) throw new Error(text)
}
const { rows } = await panel.pool.query('select username, uid from panel.accounts')
const uidOf = (username: string): number => rows.find(row => row.username === username).uid
const uid = uidOf('eve')
const site = '/home/eve/sites/eve.example'
const open = `${site}/public`

/** A script of the account's own, which has to succeed. */
const as = async (script: string) => {
  const { code, stderr } = await asUser(uid, ['sh', '-ec', `cd /home/eve; ${script}`])
  if (code !== 0) throw new Error(`${script}: ${stderr}`)
}
const shown = async (path: string) => {
  const { status, text } = await visit('eve.example', path)
  return `${status} ${text.slice(0, 100)}`
}
const say = (...words: string[]) =>
  callPanel(words, {
    DATABASE_URL: panel.databaseUrl,
    PANEL_HOST: 'linux',
    PANEL_STATE_DIR: dirname(panel.root),
  })
const unreadable = async () => {
  const { stdout } = await say('ctl', 'doctor', '--json')
  const { checks } = JSON.parse(stdout) as { checks: Record<string, string>[] }
  const { state, sentence } = checks.find(({ name }) => name === 'websites/readable')!
  return state === 'ok' ? '' : `${state} ${sentence}`
}
const tend = async () => t.ok(await tendHomes(panel))

t.test('uploads that PHP has received can be served', async t => {
  await as(`cat >${open}/up.php <<'E'
<?php
$to = __DIR__ . "/" . $_GET["to"];
switch ($_GET["how"]) {
  case "move": move_uploaded_file($_FILES["f"]["tmp_name"], $to); break;
  // As WordPress does it.
  case "chmod": move_uploaded_file($_FILES["f"]["tmp_name"], $to);
    chmod($to, stat(dirname($to))["mode"] & 0000666); break;
  case "copy": copy($_FILES["f"]["tmp_name"], $to); break;
  case "put": file_put_contents($to, "it"); break;
  case "cache": $own = tempnam(__DIR__, "x");
    file_put_contents($own, "it"); chmod($own, 0666 & ~umask()); rename($own, $to); break;
  case "umask": umask(077); file_put_contents($to, "it"); break;
  case "folder": mkdir("$to-folder/a/b", 0755, true); file_put_contents("$to-folder/a/b/c", "it");
    symlink("$to-folder/a/b/c", $to); break;
}
E`)
  writeFileSync('/tmp/it', 'it')
  for (const how of ['move', 'chmod', 'copy', 'put', 'cache', 'umask', 'folder']) {
    const url = `http://eve.example/up.php?how=${how}&to=${how}.txt`
    const words = ['-sS', '-F', 'f=@/tmp/it', '--resolve', 'eve.example:80:127.0.0.1', url]
    t.equal((await run('curl', words)).stdout, '', how)
    t.equal(await shown(`/${how}.txt`), '200 it', how)
  }
})

t.test('files that come by any other way can be served', async t => {
  mkdirSync('/tmp/from', { recursive: true })
  await run('sh', [
    '-c',
    'cd /tmp/from; umask 027; mkdir -p d/e; echo it | tee a d/e/b; tar cf t *',
  ])
  await run('chmod', ['644', '/tmp/from/t', '/tmp/it'])
  await run('chmod', ['755', '/tmp/from'])
  const table: [path: string, script: string][] = [
    ['umask', `umask 077; echo it >${open}/umask`],
    [
      'umask-folder/a/b',
      `umask 077; mkdir -p ${open}/umask-folder/a; echo it >${open}/umask-folder/a/b`,
    ],
    ['tmp', `echo it >tmp/it; mv tmp/it ${open}/tmp`],
    ['files', `umask 077; echo it >files/it; mv files/it ${open}/files`],
    ['folder/a', `mkdir -p files/folder; echo it >files/folder/a; mv files/folder ${open}/`],
    ['kept', `echo it >files/it; cp -p files/it ${open}/kept`],
    ['all/a', `mkdir files/all; echo it >files/all/a; cp -a files/all ${open}/all`],
    ['tar/a', `mkdir ${open}/tar; tar xf /tmp/from/t -C ${open}/tar`],
    ['tar/d/e/b', 'true'],
    ['tar-kept/d/e/b', `mkdir ${open}/tar-kept; tar xpf /tmp/from/t -C ${open}/tar-kept`],
    ['link', `echo it >files/it; ln -s /home/eve/files/it ${open}/link`],
    [
      'git/a',
      `git init -q files/git; cd files/git; echo it >a; git add a;
      git -c user.name=e -c user.email=e@e commit -qm it; git clone -q . ${open}/git`,
    ],
  ]
  for (const [path, script] of table) {
    await as(script)
    t.match(await shown(`/${path}`), '200 it', path)
  }
  const words = [
    'put /tmp/it sent',
    'put -p /tmp/from/t sent-kept',
    'mkdir made',
    'put /tmp/it made/it',
  ]
  const commands = ['cd /sites/eve.example/public', ...words, '']
  const result = await sftp('eve', alice.password, commands.join('\n'))
  t.equal(result.code, 0, result.stderr)
  for (const path of ['sent', 'made/it']) t.equal(await shown(`/${path}`), '200 it', path)
  t.equal((await visit('eve.example', '/sent-kept')).status, 200)
  t.equal(await unreadable(), '')
})

t.test('files made elsewhere are served, as far as their mode permits', async t => {
  await as(`cd /tmp; umask 027; mkdir -p moved/a; echo it | tee moved/a/b moved-file;
    mv moved moved-file ${open}/; setfacl -bk ${open}/tar ${open}/tar/d; setfacl -b ${open}/kept
    install -m 640 /tmp/it ${open}/installed`)
  const paths = ['moved/a/b', 'moved-file', 'tar/d/e/b', 'kept', 'installed']
  for (const path of paths) t.notMatch(await shown(`/${path}`), /^200/, path)
  t.match(await unreadable(), new RegExp(`^warning .*${open}/(moved|tar|kept).*\\(eve.example\\)`))
  const rebuilt = await say('ctl', 'rebuild', 'eve')
  t.match(rebuilt.stdout, /eve: the web server could not read \d+ files or folders/)
  for (const path of paths) t.match(await shown(`/${path}`), '200 it', path)
  t.equal(await unreadable(), '')
  await as(`umask 027; echo it >${open}/moved/a/later; setfacl -b ${open}/kept`)
  await tend()
  for (const path of ['kept', 'moved/a/later']) t.match(await shown(`/${path}`), '200 it', path)
})

t.test('the target of a link is served too', async t => {
  const table: [what: string, link: string, shut: string][] = [
    ['a file', 'files/app/web', 'files/app/web/page'],
    ['a folder in it', 'files/app/web', 'files/app/web/in'],
    ['a folder on the way', 'files/app/web', 'files/app'],
    ['by way of the website’s folder', '', 'files/app/public/page'],
  ]
  for (const [what, link, shut] of table) {
    await as(`mkdir -p files/app/web/in files/app/public/in; mv ${site} sites/kept-aside
      for one in web public; do echo it | tee files/app/$one/page >files/app/$one/in/page; done`)
    if (link === '') await as(`ln -s ../files/app ${site}`)
    else await as(`mkdir ${site}; ln -s /home/eve/${link} ${open}`)
    t.equal(await unreadable(), '', what)
    t.match((await say('ctl', 'rebuild', '--dry-run')).stderr, '0 of 2 accounts differ', what)
    await as(`setfacl -b ${shut}; chmod g+rX,o= ${shut}`)
    const paths = ['/page', '/in/page']
    const isShut = async () => (await Promise.all(paths.map(shown))).some(one => !/^200/.test(one))
    t.match(await unreadable(), `/home/eve/${shut} (eve.example)`, what)
    t.ok(await isShut(), what)
    await say('ctl', 'rebuild', 'eve')
    for (const path of paths) t.match(await shown(path), '200 it', what)
    t.equal(await unreadable(), '', what)
    await as(`rm -r ${site} files/app; mv sites/kept-aside ${site}`)
  }
})

t.test('a file closed to the group stays closed, and the doctor reports it', async t => {
  await as(`cd ${open}; echo it | tee own.log wp-config.php.bak x.php .env >.user.ini;
    mkdir -p shut/a; echo it >shut/a/b; chmod 700 shut; chmod 600 own.log wp* x.php .env`)
  await say('ctl', 'rebuild', 'eve')
  await tend()
  for (const path of ['own.log', 'shut/a/b']) {
    t.match(await shown(`/${path}`), /^40[34]/, path)
  }
  const output = await unreadable()
  for (const path of ['own.log', 'shut']) t.match(output, `${open}/${path} (eve.example)`)
  t.notMatch(output, /wp-config|x\.php|\.env|user\.ini/)
  await as(`chmod g+rX ${open}/own.log ${open}/shut`)
  t.match(await shown('/shut/a/b'), '200 it')
  t.equal(await unreadable(), '')
})

t.test('a replaced folder on the path is served', async t => {
  const table: [what: string, script: string][] = [
    [
      'another folder',
      `mkdir ${site}/next; echo 1 >${site}/next/v; mv ${open} ${site}/old; mv ${site}/next ${open}`,
    ],
    ['made again', `rm -r ${open}; mkdir ${open}; echo 2 >${open}/v`],
    ['closed to others', `rm -r ${open}; umask 077; mkdir ${open}; echo 3 >${open}/v`],
    [
      'a link to a release',
      `rm -r ${open}; mkdir -p ${site}/releases/4/public; echo 4 >${site}/releases/4/public/v;
      ln -s releases/4/public ${open}`,
    ],
    [
      'a link to a link',
      `mkdir -p ${site}/releases/5/public; echo 5 >${site}/releases/5/public/v;
      ln -s releases/5 ${site}/current; ln -sfn current/public ${open}`,
    ],
    ['the website’s folder', `mv ${site} sites/former; mkdir -p ${open}; echo 6 >${open}/v`],
    [
      'a link to another place of the home',
      `mv ${site} sites/former-2; mkdir -p files/app/public; echo 7 >files/app/public/v;
      ln -s ../files/app ${site}`,
    ],
    ['back again', `rm ${site}; mv sites/former-2 ${site}; echo 8 >${open}/v`],
  ]
  for (const [index, [what, script]] of table.entries()) {
    await as(script)
    t.equal(await shown('/v'), `200 ${index + 1}\n`, what)
    t.equal(await unreadable(), '', what)
    await say('ctl', 'rebuild', 'eve')
    t.equal(await shown('/v'), `200 ${index + 1}\n`, what)
  }
  for (const target of ['/home/nina/sites/nina.example/public', '/etc', '/nowhere']) {
    await as(`mv ${open} ${site}/kept; ln -s ${target} ${open}`)
    t.equal((await visit('eve.example', '/')).status, 404, target)
    t.match(await unreadable(), `${open} (eve.example)`, target)
    await as(`rm ${open}; mv ${site}/kept ${open}`)
  }
  await as(`chmod 700 ${site}`)
  t.match(await unreadable(), `${site} (eve.example)`)
  await as(`chmod 750 ${site}`)
  t.equal(await unreadable(), '')
})

t.test('a check that is cut short is not reported as a whole one', async t => {
  const { listUnreadable } = linuxFiles(runTool)
  const whole = await listUnreadable([open, '/usr/bin'], { timeoutMs: 30_000 })
  t.strictSame(whole, { paths: [], isWhole: true })
  t.match(await listUnreadable(['/usr', '/proc'], { timeoutMs: 1 }), { isWhole: false })
  t.match(await listUnreadable([open, '/none'], { timeoutMs: 30_000, isFlat: true }), whole)
})

t.test('no request fails while releases are switched', async t => {
  await as(`rm -rf ${open} ${site}/releases; mkdir -p ${site}/releases`)
  const release = `umask 022; for i in $(seq 0 9); do mkdir -p ${site}/releases/$i/public;
    echo "release $i" >${site}/releases/$i/public/v.txt; cd ${site}/releases/$i/public
    echo "<?php echo 'release $i';" >index.php; done; cd ${site};
    ln -s releases/0 current; ln -s current/public public`
  await as(`rm -f ${site}/current; ${release}`)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  t.teardown(() => agent.destroy())
  const answers = new Map<string, number>()
  let isOver = false
  const ask = async (path: string) => {
    while (!isOver) {
      const asked = request({ host: '127.0.0.1', path, headers: { host: 'eve.example' }, agent })
      asked.end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      let text = ''
      for await (const chunk of response) text += String(chunk)
      const answer = `${response.statusCode} ${text.replace(/\d\n?$/, 'N')}`
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  }
  const visitors = ['/v.txt', '/', '/a/route', '/index.php/info', '/v.txt', '/b'].map(ask)
  await as(`cd ${site}; for i in $(seq 1 100); do ln -s releases/$((i % 10)) next
    mv -T next current; sleep 0.02; done`)
  isOver = true
  await Promise.all(visitors)
  t.strictSame([...answers.keys()], ['200 release N'], JSON.stringify([...answers]))
  t.comment(`figure: ${answers.get('200 release N')} requests over 100 switches, none failed`)
})

t.test('a home of an earlier version is put right', async t => {
  // As it was made: only the public folder has a list.
  await as(`rm -rf ${site} tmp/* files/*; mkdir -m 750 ${site}; umask 027; mkdir ${open}`)
  const former = `cd /home/eve; chown ${uid}:${uid} files; setfacl -R -bk sites files tmp
    setfacl -m u:panel-web:--x ${site}; setfacl -R -m u:panel-web:rX,d:u:panel-web:rX ${open}`
  t.equal((await run('sh', ['-ec', former])).code, 0)
  await as(`cd ${site}; umask 027; echo it >../it; mkdir shared; echo it >shared/a;
    mv ../it ${open}/lost; ln -s ../shared ${open}/shared`)
  t.notMatch(await shown('/lost'), /^200/)
  t.notMatch(await shown('/shared/a'), /^200/)
  // Requests after an update.
  await worker.kill()
  writeFileSync('/var/lib/panel/compared', 'another version\n')
  worker = await panel.startMachineWorker()
  t.ok(await until(async () => (await shown('/lost')).startsWith('200 it')))
  t.equal(await shown('/shared/a'), '200 it\n')
  // The last that is done to the home.
  const listOfTmp = async () => (await run('getfacl', ['-cp', '/home/eve/tmp'])).stdout
  t.ok(await until(async () => (await listOfTmp()).includes('default:user:panel-web')))
  await as(`umask 027; echo it >tmp/it; mv tmp/it ${open}/later; echo it >${site}/shared/b`)
  for (const path of ['/later', '/shared/b']) t.equal(await shown(path), '200 it\n', path)
  t.match((await say('ctl', 'rebuild', '--dry-run')).stderr, '0 of 2 accounts differ')
})
