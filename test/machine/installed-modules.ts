import type { Test } from 'tap'
import { until } from '../support/until.ts'
import type { DebianMachine } from './debian-machine.ts'
import { must } from './debian-root.ts'
import { type Client, curl } from './installed.ts'

// nginx's configuration follows the modules that an administrator installs and removes.

const name = 'libnginx-mod-http-brotli-filter'
const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', '-y']

/** Brotli comes and goes with its package, and nginx's configuration is valid all the time. */
export async function showModules(t: Test, machine: DebianMachine, client: Client): Promise<void> {
  t.match(await client('GET', '/accounts/bob'), { body: { state: 'active' } })
  // In its files, but in this machine's network.
  const fetch = [...apt, 'install', '--no-install-recommends', '--download-only', name]
  await must('chroot', [machine.root, ...fetch])
  const page = '/home/bob/sites/bob.example/public/long.css'
  const put = ['runuser', '-u', 'bob', '--', 'tee', page]
  t.match(await machine.run(put, 'a line of text\n'.repeat(500)), { code: 0 })
  const encoding = async () => {
    const words = ['-D', '-', '-o', '/dev/null', '-H', 'Host: bob.example']
    const accept = ['-H', 'Accept-Encoding: gzip, br', 'http://127.0.0.1/long.css']
    const { stdout } = await machine.reach([...curl, ...words, ...accept])
    return /^content-encoding: (.*)\r$/im.exec(stdout)?.[1]
  }
  const sees = (expected: string) => until(async () => (await encoding()) === expected, 10_000)
  const refused = async () => {
    const { code, stderr } = await machine.run(['nginx', '-t'])
    return code === 0 ? (/\[(?:warn|emerg|alert)\].*/.exec(stderr)?.[0] ?? null) : stderr
  }
  const install = [...apt, 'install', '--no-download', '--no-install-recommends', name]

  await t.test('without the module nginx accepts its configuration without a warning', async t => {
    t.equal(await refused(), null)
    t.equal(await encoding(), 'gzip')
  })

  await t.test('text is compressed with Brotli once the module is installed', async t => {
    await machine.must(...install)
    t.ok(await sees('br'))
    t.equal(await refused(), null)
  })

  await t.test('nginx can restart once the module is removed', async t => {
    for (const verb of ['remove', 'purge']) {
      const { code, stdout, stderr } = await machine.run([...apt, verb, name])
      t.equal(code, 0, stderr)
      t.notMatch(stdout + stderr, /\[emerg\]|failed/)
      t.ok(await sees('gzip'))
      t.equal(await refused(), null)
      await machine.must('systemctl', 'restart', 'nginx')
      t.equal(await encoding(), 'gzip')
      if (verb === 'remove') await machine.must(...install)
      if (verb === 'remove') t.ok(await sees('br'))
    }
  })

  await t.test('a module that was removed without the worker is found at its start', async t => {
    await machine.must(...install)
    t.ok(await sees('br'))
    await machine.must('systemctl', 'stop', 'panel-worker')
    await machine.run([...apt, 'purge', name])
    t.match(await refused(), /unknown directive "brotli"/)
    t.equal(await encoding(), 'br', 'nginx goes on')
    await machine.must('systemctl', 'start', 'panel-worker')
    t.ok(await sees('gzip'))
    t.equal(await refused(), null)
  })

  await machine.must('rm', page)
}
