import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fetchArchive, requireSame } from '../../src/install/update/fetch.ts'
import { readManifestText } from '../../src/install/update/source.ts'

const content = randomBytes(300_000)
const manifest = {
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
}
const soon = { minTimeoutMs: 1 }

t.test('a fetch goes on where a connection was lost', async t => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, (request, response) => {
    const { range } = request.headers
    asked.push(range)
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    response.writeHead(range === undefined ? 200 : 206, {
      'content-length': content.length - start,
    })
    if (asked.length === 3) return void response.end(content.subarray(start))
    response.write(content.subarray(start, start + 100_000), () => response.destroy())
  })
  const path = join(t.testdir(), 'archive')
  await fetchArchive(url, path, manifest, soon)
  t.ok(readFileSync(path).equals(content))
  t.equal(asked[0], undefined)
  t.match(asked.slice(1), [/^bytes=[1-9]/, /^bytes=[1-9]/])
  await requireSame(path, manifest)
  await fetchArchive(url, path, manifest, soon)
  t.equal(asked.length, 3, 'what is whole is not asked for again')
})

t.test('a server that sends all of it again is understood too', async t => {
  const url = await serve(t, (_request, response) => response.end(content))
  const path = join(t.testdir({ archive: 'the begin of another' }), 'archive')
  await fetchArchive(url, path, manifest, soon)
  await requireSame(path, manifest)
})

t.test('no more is written than the manifest says', async t => {
  const url = await serve(t, (_request, response) => {
    response.on('error', () => undefined)
    response.write(content)
    const more = setInterval(() => response.write(content), 1)
    response.on('close', () => clearInterval(more))
  })
  const path = join(t.testdir(), 'archive')
  await t.rejects(fetchArchive(url, path, manifest, soon), /sends more than 300000 bytes/)
  t.ok(statSync(path).size <= manifest.size)
})

t.test('nothing of an archive is left on a disk that it has filled', async t => {
  let asked = 0
  const url = await serve(t, (_request, response) => {
    asked += 1
    response.end(content)
  })
  const path = join(t.testdir(), 'archive')
  symlinkSync('/dev/full', path)
  await t.rejects(fetchArchive(url, path, manifest, soon), {
    code: 'unavailable',
    message: /ENOSPC/,
  })
  t.equal(asked, 1)
  t.equal(lstatSync(path, { throwIfNoEntry: false }), undefined)
})

t.test('a refused or missing download is reported', async t => {
  const url = await serve(t, (_request, response) => response.writeHead(404).end())
  const path = join(t.testdir(), 'archive')
  await t.rejects(fetchArchive(url, path, manifest, soon), /it answers 404/)
  await t.rejects(readManifestText(`${url}latest.json`), /it answers 404/)
  await t.rejects(
    readManifestText(join(t.testdir(), 'none.json')),
    /\(ENOENT\): give an archive with/,
  )
})

t.test('a manifest without an end is given up', async t => {
  const url = await serve(t, (_request, response) => {
    response.on('error', () => undefined)
    const more = setInterval(() => response.write('x'.repeat(20_000)), 1)
    response.on('close', () => clearInterval(more))
  })
  await t.rejects(readManifestText(url), /it is not a manifest/)
})

t.test('an archive that is one bit off is refused', async t => {
  const path = join(t.testdir(), 'archive')
  const other = Buffer.from(content)
  other[150_000]! ^= 1
  writeFileSync(path, other)
  await t.rejects(requireSame(path, manifest), /does not match its manifest/)
  writeFileSync(path, content.subarray(1))
  await t.rejects(requireSame(path, manifest), { code: 'invalid' })
})

async function serve(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
