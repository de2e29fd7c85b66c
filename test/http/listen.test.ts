import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listenAt } from '../../src/http/listen.ts'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { vendor } from '../support/cli/licenses.ts'
import { openPanel } from '../support/panel.ts'
import { startProcess } from '../support/processes.ts'
import { scratch } from '../support/scratch.ts'
import { get } from '../support/http/channels.ts'

function newServer(t: Test) {
  const server = createServer()
  t.teardown(() => server.close())
  return server
}

t.test('a Unix socket is open to its group alone', async t => {
  const path = join(scratch(t), 'api.sock')
  await listenAt(newServer(t), path)
  t.equal(statSync(path).mode & 0o777, 0o660)
})

t.test('the socket of a process that was killed is taken over', async t => {
  const path = join(scratch(t), 'api.sock')
  const code = `require('net').createServer().listen(process.argv[1], () => process.abort())`
  const child = spawn(process.execPath, ['-e', code, path], { stdio: 'ignore' })
  await once(child, 'exit')
  t.ok(statSync(path).isSocket(), 'it is left behind')
  const server = newServer(t)
  await listenAt(server, path)
  t.equal(server.address(), path)
})

t.test('a socket with a listener stays its own, and a file stays a file', async t => {
  const folder = scratch(t)
  const [taken, file] = [join(folder, 'api.sock'), join(folder, 'file')]
  const first = newServer(t)
  await listenAt(first, taken)
  writeFileSync(file, 'of another')
  for (const path of [taken, file]) {
    await t.rejects(listenAt(newServer(t), path), { code: 'EADDRINUSE' })
  }
  t.equal(first.address(), taken)
  t.ok(statSync(taken).isSocket())
  t.equal(readFileSync(file, 'utf8'), 'of another')
})

t.test('the API listens where PANEL_SOCKET says, and believes who calls there', async t => {
  const panel = await openPanel(t, { hasWorker: false })
  const { token } = await createToken(panel.pool, {
    owner: 'admin',
    name: 'limited',
    allowed: ['203.0.113.9/32'],
  })
  const folder = scratch(t)
  const [socketPath, file] = [join(folder, 'api.sock'), join(folder, 'license')]
  const { rows } = await panel.pool.query('select id as server_id from panel.server')
  const { key, license } = vendor()
  writeFileSync(file, license(rows[0]))
  await startProcess(t, 'bin/panel-api.ts', [], {
    ready: /api ready/,
    environment: {
      DATABASE_URL: panel.databaseUrl,
      PANEL_SOCKET: socketPath,
      PANEL_TRUSTED_PROXIES: '192.0.2.0/24, 2001:db8::/32',
      PANEL_LICENSE: file,
      PANEL_LICENSE_KEY: key,
    },
  })
  const ask = (line: string) => get({ socketPath }, token, { 'X-Forwarded-For': line })
  t.equal(await ask('203.0.113.9'), 200)
  t.equal(await ask('203.0.113.9, 192.0.2.1, 2001:db8::1'), 200)
  t.equal(await ask('203.0.113.9, 198.51.100.1'), 403)
})
