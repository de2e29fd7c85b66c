import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { scratch } from '../support/scratch.ts'

// bin/panel.cjs in an installation of its own that links to this code.

const root = join(import.meta.dirname, '../..')

function install(t: Test) {
  const folder = scratch(t)
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['panel.cjs', 'panel.ts']) {
    copyFileSync(join(root, 'bin', name), join(folder, 'bin', name))
  }
  for (const name of ['src', 'package.json']) symlinkSync(join(root, name), join(folder, name))
  const cache = join(folder, 'node_modules/.cache/panel')
  const run = (node = process.execPath) =>
    spawnSync('sh', ['-c', 'umask 0; exec "$@"', 'sh', node, join(folder, 'bin/panel.cjs'), '-v'], {
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: process.env['PATH'] },
    })
  return { folder, cache, run }
}

t.test('loaded code is cached next to the code, where no other user may write', async t => {
  const { cache, run } = install(t)
  t.match(run(), { status: 0, stdout: /^\d+\.\d+\.\d+/ })
  t.equal(statSync(cache).mode & 0o777, 0o700)
  t.not(readdirSync(cache).length, 0)
})

t.test('a cache that others may write is not used', async t => {
  const { cache, run } = install(t)
  mkdirSync(cache, { recursive: true })
  chmodSync(cache, 0o777)
  t.match(run(), { status: 0, stdout: /^\d+\.\d+\.\d+/ })
  t.strictSame(readdirSync(cache), [])
  rmSync(cache, { recursive: true })
  symlinkSync('/nonexistent', cache)
  t.match(run(), { status: 0, stdout: /^\d+\.\d+\.\d+/ })
})

const isRoot = process.getuid?.() === 0

t.test('code of another user is not cached', { skip: !isRoot && 'needs root' }, async t => {
  const { folder, cache, run } = install(t)
  chownSync(join(folder, 'node_modules'), 65_534, 65_534)
  t.match(run(), { status: 0, stdout: /^\d+\.\d+\.\d+/ })
  t.notOk(existsSync(cache))
})

const older = '/usr/bin/node'
const version = existsSync(older) ? spawnSync(older, ['-v'], { encoding: 'utf8' }).stdout : 'v99'
const isOlder = Number(/^v(\d+)/.exec(version)?.[1]) < 24

t.test('dependencies of an older release are named', { skip: !isOlder && 'no older Node' }, t => {
  const { folder, run } = install(t)
  const reported = {
    status: 1,
    stderr: 'panel: the dependencies are not those of this release: run npm ci first\n',
  }
  t.match(run(older), reported)
  const bundled = join(folder, `node_modules/node-linux-${process.arch}/bin`)
  mkdirSync(bundled, { recursive: true })
  copyFileSync(older, join(bundled, 'node'))
  t.match(run(older), reported, 'and it does not call itself for ever')
  t.end()
})
