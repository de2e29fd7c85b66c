import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { type Client, curl, visit } from './installed.ts'

// Websites on an installed panel, for their owners and visitors, under its units: new files are
// served, replaced folders are served, and private files are not.

const site = '/home/bob/sites/bob.example'
const open = `${site}/public`

/** The account bob uses its website, as applications and release tools do. */
export async function showWebsites(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  t.match(await client('GET', '/accounts/bob'), { body: { state: 'active' } })
  const as = async (script: string) => {
    const { code, stderr } = await machine.run(['runuser', '-u', 'bob', '--', 'sh', '-ec', script])
    if (code !== 0) throw new Error(`${script}: ${stderr}`)
  }
  const shown = (path: string) => visit(machine, 'bob.example', path)
  // Others of the suite use the same website.
  await as(`cp -r ${open} ${site}/kept`)
  await showServed(t, machine, { as, shown })
  await showReleases(t, { as, shown })
  await showTended(t, machine, { as, shown })
  await as(`rm -rf ${open}; mv ${site}/kept ${open}; rm -rf ${site}/releases ${site}/current`)
}

type World = {
  as: (script: string) => Promise<void>
  shown: (path: string) => Promise<string>
}

async function showServed(t: Test, machine: DebianMachine, { as, shown }: World): Promise<void> {
  await as(`cd ${open}; mkdir -p blog tools.php
    echo '<?php echo "blog ", $_SERVER["REQUEST_URI"];' >blog/index.php
    echo '<?php echo "info ", $_SERVER["PATH_INFO"] ?? "none";' | tee tools.php/info.php >info.php
    echo '<?php echo "secret source";' | tee old.php.bak class.inc | cat >wp-config.php
    echo 'export {}' >module.mjs
    echo '<?php move_uploaded_file($_FILES["f"]["tmp_name"], $to = __DIR__ . "/in.txt");
      chmod($to, stat(__DIR__)["mode"] & 0666); echo ini_get("upload_max_filesize");' >up.php`)
  const table: [path: string, looked: RegExp][] = [
    ['/blog/2026/a-post/', /^200 blog \/blog\/2026\/a-post\/$/],
    ['/info.php/a/b', /^200 info \/a\/b$/],
    ['/tools.php/info.php/a/b', /^200 info \/a\/b$/],
    ['/info.php', /^200 info none$/],
    ['/old.php.bak', /^404 /],
    ['/class.inc', /^404 /],
    ['/wp-config.php', /^404 /],
  ]
  for (const [path, looked] of table) t.match(await shown(path), looked, path)
  const host = ['-H', 'Host: bob.example']
  const set = (word: string) =>
    machine.must('panel', 'site', 'set', 'bob', 'bob.example', '--serve-sources', word)
  await set('yes')
  t.match(await shown('/old.php.bak'), /^200 .*secret source/s)
  t.match(await shown('/wp-config.php'), /^404 /)
  await set('no')
  t.match(await shown('/old.php.bak'), /^404 /)
  const head = await machine.reach([...curl, '-I', ...host, 'http://127.0.0.1/module.mjs'])
  t.match(head.stdout, /^content-type: text\/javascript; charset=utf-8\r$/im)
  const sent = ['-F', 'f=@/etc/hostname', ...host, 'http://127.0.0.1/up.php']
  t.equal((await machine.reach([...curl, ...sent])).stdout, '128M')
  t.match(await shown('/in.txt'), /^200 /, 'an upload is seen')
}

async function showReleases(t: Test, { as, shown }: World): Promise<void> {
  await as(`umask 077; cd ${site}; for i in 1 2; do mkdir -p releases/$i/public
    echo "release $i" >releases/$i/public/v; done; rm -r public
    ln -s releases/1 current; ln -s current/public public`)
  t.match(await shown('/v'), /^200 release 1/)
  await as(`cd ${site}; ln -s releases/2 next; mv -T next current`)
  t.match(await shown('/v'), /^200 release 2/)
}

async function showTended(t: Test, machine: DebianMachine, { as, shown }: World): Promise<void> {
  const job = `select worker_queue.add_job('maintenance/homes', '{}')`
  const tend = ['runuser', '-u', 'postgres', '--', 'psql', '-qd', 'panel', '-c', job]
  const doctor = async (check = 'websites/readable') => {
    const { stdout } = await machine.run(['panel', 'ctl', 'doctor', '--json'])
    const { checks } = JSON.parse(stdout) as { checks: { name: string; sentence: string }[] }
    return checks.find(({ name }) => name === check)?.sentence
  }
  t.match(await doctor(), 'can read')
  await as(`cd ${open}; umask 027; echo it >/var/tmp/moved; mv /var/tmp/moved .
    setfacl -b moved; mkdir closed; echo 'Require local' >closed/.htaccess
    mkdir data; echo 'Require all denied' >data/.htaccess; echo secret >data/page.txt
    touch -d '2 days ago' /home/bob/tmp/sess_old; touch /home/bob/tmp/sess_new`)
  t.match(await shown('/moved'), /^40[34] /)
  t.match(await shown('/data/page.txt'), '200 secret')
  t.match(await doctor(), `/public/moved (bob.example)`)
  await machine.must(...tend)
  t.ok(await until(async () => (await shown('/moved')).startsWith('200 it')))
  t.match(await doctor(), 'can read')
  const left = () => machine.must('ls', '/home/bob/tmp')
  t.ok(await until(async () => !(await left()).includes('sess_old')))
  t.match(await left(), 'sess_new')
  const rules = 'bob.example: 1 rule in .htaccess is not applied: 1 Require in /closed/.htaccess'
  t.ok(await until(async () => (await doctor('websites/htaccess'))?.includes(rules)))
  t.ok(await until(async () => (await shown('/data/page.txt')).startsWith('403 ')))
  await as(`rm -r ${open}/closed ${open}/data/.htaccess`)
  await machine.must('panel', 'site', 'recheck', 'bob', 'bob.example')
  t.ok(await until(async () => (await doctor('websites/htaccess'))?.startsWith('No .htaccess')))
  t.ok(await until(async () => (await shown('/data/page.txt')).startsWith('200 secret')))
}
