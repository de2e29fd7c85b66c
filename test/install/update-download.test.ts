import { createHash, randomBytes } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { obtainArchive } from '../../src/install/update/download.ts'

const content = randomBytes(100_000)
const manifest = {
  archive: 'panel-1.2.0-linux-x64.tar.xz',
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
}

function staged(t: Test) {
  const folder = t.testdir({})
  const [own, archive] = [join(folder, 'own'), join(folder, manifest.archive)]
  mkdirSync(own, { mode: 0o700 })
  writeFileSync(archive, content)
  return { own, archive }
}

t.test('a checked release stays, even if the given file changes', async t => {
  const { own, archive } = staged(t)
  const path = await obtainArchive(archive, own, manifest)
  writeFileSync(archive, 'something else')
  t.equal(path, join(own, manifest.archive))
  t.ok(readFileSync(path).equals(content))
  t.equal(statSync(path).mode & 0o777, 0o600)
})

t.test('a mismatch with the manifest is named, and nothing is left of it', async t => {
  const { own, archive } = staged(t)
  // The rest of an earlier attempt.
  writeFileSync(join(own, manifest.archive), content)
  truncateSync(archive, 50_000)
  const words = `${archive} does not match its manifest: download both again`
  await t.rejects(obtainArchive(archive, own, manifest), { code: 'invalid', message: words })
  truncateSync(archive, 10_000_000_000)
  await t.rejects(obtainArchive(archive, own, manifest), { message: words })
  await t.rejects(obtainArchive(`${archive}/none`, own, manifest), {
    code: 'invalid',
    message: /none cannot be read \(ENOTDIR\)/,
  })
  t.strictSame(readdirSync(own), [])
})
