import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { whyUnanswered } from '../../src/acme/probe.ts'

const thumbprint = 'x'.repeat(43)

async function websites(t: Test, answer: RequestListener) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { address: '127.0.0.1', port }
}

const tokenOf = (url = '') => url.replace('/.well-known/acme-challenge/', '')

t.test('websites that answer with the account’s thumbprint are this server’s', async t => {
  const hosts: unknown[] = []
  const at = await websites(t, (request, response) => {
    hosts.push(request.headers.host)
    response.end(`${tokenOf(request.url)}.${thumbprint}`)
  })
  t.equal(await whyUnanswered('alice.example', thumbprint, at), undefined)
  t.strictSame(hosts, ['alice.example'])
})

t.test('an nginx that is about to read its configuration is asked again', async t => {
  let asked = 0
  const at = await websites(t, (request, response) => {
    asked += 1
    response.end(asked < 3 ? 'old' : `${tokenOf(request.url)}.${thumbprint}`)
  })
  t.equal(await whyUnanswered('alice.example', thumbprint, at), undefined)
})

t.test('any other answer is not: another account, a redirect, a page, too much', async t => {
  const answers: [string, RequestListener][] = [
    ['another', (request, response) => response.end(`${tokenOf(request.url)}.${'y'.repeat(43)}`)],
    ['301', (_, response) => response.writeHead(301, { location: 'http://x.example/' }).end()],
    ['404', (_, response) => response.writeHead(404).end('no')],
    ['much', (_, response) => response.end('x'.repeat(100_000))],
  ]
  await Promise.all(
    answers.map(async ([name, answer]) => {
      const at = await websites(t, answer)
      t.match(await whyUnanswered('alice.example', thumbprint, at), /is not served by/, name)
    }),
  )
})

t.test('a missing listener is a reason at an own address, not at a translated one', async t => {
  const ask = (address: string) => whyUnanswered('alice.example', thumbprint, { address, port: 1 })
  // The second is loopback too, but not the address of an interface.
  const [own, translated] = await Promise.all([ask('127.0.0.1'), ask('127.9.9.9')])
  t.match(own, /cannot be reached at 127\.0\.0\.1: connect ECONNREFUSED/)
  t.equal(translated, undefined)
})
