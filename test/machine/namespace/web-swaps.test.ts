import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { asUser, openLinuxPanel, putFile, startServices, visit } from '../machine.ts'
import { signAtOnce } from '../signing.ts'

// The owner of a website puts other things in the place of its folder and its files, again and
// again, while they are asked for: nothing foreign is served, and nothing hangs.

const requests = Number(process.env['PANEL_TEST_REQUESTS'] || 6_000)

startServices('nginx')
const panel = await openLinuxPanel(t)
await panel.startMachineWorker()
await panel.call('PUT', '/api/v1/packages/starter', { body: { memory_mb: 128 } })
const { certify } = await signAtOnce(t, panel)
for (const username of ['eve', 'nina']) {
  const body = { ...alice, username, domain: `${username}.example` }
  const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
  if (status !== 201) throw new Error(text)
  await certify(username)
}
const { rows } = await panel.pool.query('select username, uid from panel.accounts')
const uidOf = (username: string): number => rows.find(row => row.username === username).uid
const [eve, nina] = ['eve', 'nina'].map(name => ({ uid: uidOf(name) })) as [Who, Who]
type Who = { uid: number }
const site = '/home/eve/sites/eve.example'
const theirs = '/home/nina/sites/nina.example/public'
const as = async (...command: string[]) => {
  const { code, stderr } = await asUser(eve.uid, command)
  if (code !== 0) throw new Error(stderr)
}

const certs = '/var/lib/panel/web/certs'
const proofs = readdirSync(certs)
await putFile(nina, `${theirs}/nina.txt`, 'of nina alone\n')
await putFile(nina, `${theirs}/nina.php`, '<?php echo "of nina alone";\n')
await putFile(eve, `${site}/public/own.txt`, 'of eve\n')
await putFile(eve, `${site}/public/own.php`, '<?php echo "of eve";\n')

/** The replacements of the public folder, or of a folder or a file in it. */
const foreign = {
  folders: [
    ...['/etc', '/', '/proc/self/root', '/proc/self/fd', '/dev', '/var/lib/panel/web', certs],
    ...['/var/lib/panel/certificates', theirs, '/home/nina/sites/nina.example', '.'],
    ...['/var/lib/panel/web/names', 'public', '/var/log/nginx'],
  ],
  files: [
    ...['/etc/passwd', `${theirs}/nina.txt`, `${theirs}/nina.php`, '/proc/self/environ'],
    ...proofs.map(name => `${certs}/${name}`),
    ...['/dev/zero', '/dev/stdin', '/var/log/nginx/panel-access.log', '/run/nginx.pid'],
  ],
}
const isForeign = /root:x:|of nina|PRIVATE KEY|BEGIN CERTIFICATE|PATH=|^\d+\.\d{3} \d+ \d+ /m
const paths = [
  ...['/', '/own.txt', '/own.php', '/passwd', '/etc/passwd', '/nina.txt', '/public/nina.txt'],
  ...['/nina.php', '/page.txt', '/page.php', '/folder/passwd', '/folder/nina.txt'],
  ...['/folder/own.txt', '/nina.example/http/nina.txt', '/home/nina/sites', '/404.html', '/no'],
  ...['/panel-access.log', '/null', '/zero', '/0', '/7', '/20', '/self/environ'],
  ...proofs.flatMap(name => [`/${name}`, `/certs/${name}`, `/folder/${name}`]),
]

t.test('no link to what is not one’s own can be anything but a symbolic one', async t => {
  const [proof = ''] = proofs
  for (const target of ['/etc/passwd', `${theirs}/nina.txt`, `${certs}/${proof}`]) {
    t.not((await asUser(eve.uid, ['ln', target, `${site}/public/hard`])).code, 0, target)
  }
  await as('ln', `${site}/public/own.txt`, `${site}/public/hard.txt`)
  t.match(await visit('eve.example', '/hard.txt'), { status: 200, text: 'of eve\n' })
})

t.test('each of them by itself is not served', async t => {
  const { folders, files } = foreign
  for (const target of [...folders, ...files]) {
    await as('ln', '-sfn', target, `${site}/public/folder`)
    for (const path of paths.filter(one => one.startsWith('/folder')).concat('/folder')) {
      const { status, text } = await visit('eve.example', path)
      const isOwn = ['.', 'public'].includes(target)
      if (!isOwn) t.ok([403, 404].includes(status), `${path} with ${target}: ${status}`)
      t.notMatch(text, isForeign, `${path} with ${target}`)
    }
  }
  await as('rm', `${site}/public/folder`)
})

t.test('an entry that is neither a file nor a folder is not waited for', async t => {
  const paths = `${site}/public`
  await as('mkfifo', `${paths}/fifo`)
  await as('perl', '-e', listen, `${paths}/socket`)
  for (const path of ['/fifo', '/socket', '/socket/', '/fifo/x']) {
    t.ok([403, 404].includes((await visit('eve.example', path)).status), path)
  }
})

// The machine's own has a past.
const errors = '/var/log/nginx/error.log'

t.test('swapped again and again while they are asked for, nothing foreign is served', async t => {
  const reported = statSync(errors).size
  const swappers = await startSwapping()
  t.teardown(() => swappers.forEach(({ child }) => child.kill('SIGKILL')))
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  t.teardown(() => agent.destroy())
  const statuses = new Map<number, number>()
  const leaks: string[] = []
  let left = requests
  const askOn = async () => {
    while (left-- > 0) {
      const path = paths[left % paths.length]!
      const { status, text } = await fetchBy(agent, path)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (isForeign.test(text)) leaks.push(`${path}: ${text.slice(0, 100)}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, askOn))
  t.comment(JSON.stringify(Object.fromEntries(statuses)))
  t.strictSame(leaks.slice(0, 10), [], `${leaks.length} of ${requests}`)
  t.ok(statuses.get(200)! > 0 && statuses.get(404)! > 0)
  for (const { child } of swappers) t.equal(child.exitCode, null, 'swapped to the end')
  for (const { child } of swappers) child.kill('SIGTERM')
  await Promise.all(swappers.map(({ ended }) => ended))
  t.match(await visit('eve.example', '/own.txt'), { status: 200, text: 'of eve\n' })
  t.match(await visit('eve.example', '/own.php'), { status: 200, text: 'of eve' })
  t.notMatch(readFileSync(errors).subarray(reported).toString(), /\[(emerg|alert)\]/)
})

const listen = 'use IO::Socket::UNIX; IO::Socket::UNIX->new(Local => shift, Listen => 1) or die $!'

// Puts each of the others in the place of what is there, and that back again, until it is ended.
const swap = `use strict; my ($folder, $name, @others) = @ARGV; my $over = 0;
  $SIG{TERM} = sub { $over = 1 };
  chdir $folder or die $!; $| = 1; print "ready\\n";
  while (!$over) { for my $other (@others) {
    rename $name, ".kept-$name" or die "$name: $!"; rename $other, $name or die "$other: $!";
    select undef, undef, undef, rand 0.003;
    rename $name, $other or die $!; rename ".kept-$name", $name or die $!;
    select undef, undef, undef, rand 0.001;
  } }`

/** Prepares what is put in the places of folder and files, and begins. */
async function startSwapping() {
  const paths = `${site}/public`
  const links = async (folder: string, targets: string[]) => {
    for (const [index, target] of targets.entries()) {
      await as('ln', '-sfn', target, `${folder}/.other-${index}`)
    }
    await as('mkfifo', `${folder}/.other-fifo`)
    await as('perl', '-e', listen, `${folder}/.other-socket`)
    await as('mkdir', `${folder}/.other-folder`)
    await as('touch', `${folder}/.other-file`)
    const more = ['fifo', 'socket', 'folder', 'file'].map(name => `.other-${name}`)
    return [...targets.map((_, index) => `.other-${index}`), ...more]
  }
  const [roots, files] = [await links(site, foreign.folders), await links(paths, foreign.files)]
  await as('mkdir', `${paths}/folder`, `${paths}/folders`)
  await as('cp', `${paths}/own.txt`, `${paths}/folder/own.txt`)
  for (const name of ['page.txt', 'page.php', '404.html']) {
    await as('cp', `${paths}/own.txt`, `${paths}/${name}`)
  }
  await as('ln', '-sfn', '/etc', `${paths}/.other-etc`)
  await as('ln', '-sfn', theirs, `${paths}/.other-nina`)
  await as('ln', '-sfn', certs, `${paths}/.other-certs`)
  const each = Math.ceil(files.length / 3)
  const swappers = await Promise.all([
    startSwap(paths, 'page.txt', files.slice(0, each)),
    startSwap(paths, 'page.php', files.slice(each, 2 * each)),
    startSwap(paths, '404.html', files.slice(2 * each)),
    startSwap(paths, 'folder', ['.other-etc', '.other-nina', '.other-certs']),
  ])
  return [...swappers, await startSwap(site, 'public', roots)]
}

async function startSwap(folder: string, name: string, others: string[]) {
  const user = [`--reuid=${eve.uid}`, `--regid=${eve.uid}`, '--clear-groups']
  const child = spawn('setpriv', [...user, 'perl', '-e', swap, folder, name, ...others], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return { child, ended: once(child, 'exit') }
}

async function fetchBy(agent: Agent, path: string): Promise<{ status: number; text: string }> {
  const headers = { host: 'eve.example' }
  const asked = request({ host: '127.0.0.1', path, headers, agent, timeout: 10_000 })
  asked.on('timeout', () => asked.destroy(new Error(`No answer to ${path}`)))
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, text }
}
