import { chmodSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { copyRelease } from '../../src/install/place-release.ts'

t.test('a release that was unpacked for one alone is for API and courier too', async t => {
  const path = t.testdir({})
  const folder = join(path, 'unpacked')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'bin/panel'), '#!/bin/sh\n')
  writeFileSync(join(folder, 'release.json'), '{}')
  symlinkSync('bin/panel', join(folder, 'panel'))
  const modes = { 'release.json': 0o600, 'bin/panel': 0o770, bin: 0o700, '.': 0o700 }
  for (const [name, mode] of Object.entries(modes)) chmodSync(join(folder, name), mode)
  await copyRelease(folder, join(path, 'copied'))
  const modeOf = (name: string) => lstatSync(join(path, 'copied', name)).mode & 0o777
  t.strictSame(Object.keys(modes).map(modeOf), [0o644, 0o755, 0o755, 0o755])
  t.ok(lstatSync(join(path, 'copied/panel')).isSymbolicLink())
})
