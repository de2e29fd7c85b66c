import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import t from 'tap'
import { readAuthorities } from '../../src/outside/authorities.ts'
import { openOutside } from '../../src/outside/post.ts'

t.test('a private authority is trusted where its certificate is known', async t => {
  const folder = t.testdir()
  const file = (name: string) => join(folder, name)
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' })
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const authority = (name: string) =>
    openssl(
      ...['req', '-x509', ...ec, '-days', '1', '-subj', `/CN=${name}`],
      ...['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)],
    )
  authority('ours')
  authority('another')
  openssl(
    ...['req', ...ec, '-subj', '/CN=receiver', '-keyout', file('key'), '-out', file('request')],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'],
  )
  openssl(
    ...['x509', '-req', '-in', file('request'), '-out', file('cert'), '-days', '1'],
    ...['-CA', file('ours.pem'), '-CAkey', file('ours.key'), '-copy_extensions', 'copy'],
  )
  const [key, cert] = [readFileSync(file('key')), readFileSync(file('cert'))]
  const answering = createHttpServer((_request, response) => response.writeHead(204).end())
  const server = createTlsServer({ key, cert }, socket => answering.emit('connection', socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const reported = (authorities: string[], host = '127.0.0.1') =>
    openOutside({ allowed: ['127.0.0.0/8'], authorities, resolve }).post(
      { url: `https://${host}:${port}/`, headers: [], body: Buffer.alloc(1) },
      new AbortController().signal,
    )
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
  const ours = readAuthorities(file('ours.pem'))
  t.match(await reported([]), { status: null, error: /PANEL_WEBHOOK_CA .*\(UNABLE_TO_/ })
  t.match(await reported(readAuthorities(file('another.pem'))), {
    status: null,
    error: /PANEL_WEBHOOK_CA/,
  })
  t.match(await reported(ours), { status: 204, error: null })
  t.match(await reported(ours, 'receiver.test'), { status: null, error: /ERR_TLS_CERT_ALTNAME/ })

  const several = ['ours', 'another'].map(name => readFileSync(file(`${name}.pem`), 'utf8'))
  writeFileSync(file('several'), `# Ours\r\n${several.join('\n').replaceAll('\n', '\r\n')}`)
  t.equal(readAuthorities(file('several')).length, 2)
  t.match(await reported(readAuthorities(file('several'))), { status: 204 })
  writeFileSync(file('empty'), '')
  writeFileSync(file('broken'), several[0]!.replace(/^M.../m, 'M+++'))
  writeFileSync(file('long'), Buffer.alloc(1_048_577, '-'))
  for (const [name, words] of [
    ['missing', /missing cannot be read \(ENOENT\)$/],
    ['.', /cannot be read \(EISDIR\)$/],
    ['empty', /contains no PEM certificate$/],
    ['key', /contains no PEM certificate$/],
    ['broken', /certificate 1 is not a CA certificate$/],
    ['cert', /certificate 1 is not a CA certificate$/],
    ['long', /is over 1 MiB$/],
  ] as const) {
    t.throws(() => readAuthorities(file(name)), { message: words }, name)
  }
})
