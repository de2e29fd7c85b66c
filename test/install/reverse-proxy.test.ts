import { X509Certificate } from 'node:crypto'
import t from 'tap'
import { isGood, needsRenewal } from '../../src/host/web/own-certificate.ts'
import { makeOwnCertificate } from '../../src/host/web/self-signed.ts'
import { renderReverseProxy } from '../../src/install/reverse-proxy.ts'

const hostname = 'panel.example.com'
const now = new Date()
const yearsLater = (years: number) => new Date(now.getTime() + years * 365 * 86_400_000)

t.test('the panel signs a certificate of its own, and a new one for another name', async t => {
  const pem = await makeOwnCertificate('panel.example.com', now)
  const certificate = new X509Certificate(pem)
  t.ok(certificate.verify(certificate.publicKey))
  t.match(pem, /BEGIN PRIVATE KEY/)
  t.ok(isGood(pem, 'panel.example.com', now))
  t.notOk(isGood(pem, 'other.example.com', now))
  t.notOk(isGood(pem, 'panel.example.com', yearsLater(10)), 'near its end')
  t.notOk(isGood('half of a file', 'panel.example.com', now))
  t.notOk(isGood(undefined, 'panel.example.com', now))
  t.ok(needsRenewal(pem, 'panel.example.com', now), 'an authority is asked for another')
})

t.test('nginx listens by IPv6 only where there is IPv6', async t => {
  t.match(
    renderReverseProxy({ hostname, hasIpv6: true }),
    'listen 8443 ssl;\n    listen [::]:8443 ssl;',
  )
  t.notMatch(renderReverseProxy({ hostname, hasIpv6: false }), '[::]')
})
