import { once } from 'node:events'
import { createServer } from 'node:net'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { withPort } from '../../src/start/port.ts'
import { readyAddress } from '../../src/start/readiness.ts'

t.test('chooses a port where none is given, once for everybody', async t => {
  const config = await withPort(readConfig({ PANEL_LISTEN: '127.0.0.1:0' }))
  t.ok(config.listen.port > 1023)
  t.equal(config.baseUrl, `http://127.0.0.1:${config.listen.port}`)
  t.equal((await withPort(config)).listen.port, config.listen.port)
})

t.test('leaves a base URL of its own alone', async t => {
  const given = { PANEL_LISTEN: '127.0.0.1:0', PANEL_BASE_URL: 'https://panel.example.com' }
  t.equal((await withPort(readConfig(given))).baseUrl, 'https://panel.example.com')
})

t.test('says which port is taken', async t => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  await t.rejects(withPort(readConfig({ PANEL_LISTEN: `127.0.0.1:${port}` })), {
    code: 'busy',
    message: new RegExp(`^Port ${port} on 127.0.0.1 is in use by another program`),
  })
})

t.test('says when an address is not this machine', async t => {
  await t.rejects(withPort(readConfig({ PANEL_LISTEN: '192.0.2.1:8080' })), {
    message: /^Cannot listen on 192.0.2.1 port 8080 \(EADDRNOTAVAIL\)/,
  })
})

t.test('asks a panel that listens everywhere at an address that can be reached', t => {
  t.equal(readyAddress({ host: '0.0.0.0', port: 80 }), 'http://127.0.0.1:80/readyz')
  t.equal(readyAddress({ host: '::', port: 80 }), 'http://[::1]:80/readyz')
  t.equal(readyAddress({ host: 'localhost', port: 80 }), 'http://localhost:80/readyz')
  t.end()
})
