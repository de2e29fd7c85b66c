import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { alice } from '../../support/panel.ts'
import { until } from '../../support/until.ts'
import { run, startServices } from '../machine.ts'
import { host, openMailHosting } from '../mail-hosting.ts'

// Settings for mail programs, by the real nginx.

startServices('nginx')
const { panel, panelCall, enable } = await openMailHosting(t)
const domain = 'alice.example'
const folder = '/var/lib/panel/web/mail-names'
const paths = ['/mail/config-v1.1.xml', '/.well-known/autoconfig/mail/config-v1.1.xml']
const outlook = '/autodiscover/autodiscover.xml'

async function ask(name: string, path: string, ...more: string[]) {
  const port = more.includes('https') ? 443 : 80
  const words = more.filter(word => word !== 'https')
  const { code, stdout } = await run('curl', [
    ...['-s', '-i', '-k', '--resolve', `${name}:${port}:127.0.0.1`, ...words],
    `${port === 443 ? 'https' : 'http'}://${name}${path}`,
  ])
  const status = code === 0 ? Number(/^HTTP\S+ (\d+)/.exec(stdout)?.[1]) : 0
  return { status, text: stdout }
}
const see = (found: string | null) =>
  panel.pool.query('select panel.record_mail_domain_seen($1, $2)', [domain, found])

t.test('nothing answers before a domain gets mail', async t => {
  t.equal((await enable('--take-over')).code, 0)
  await panel.call('PUT', '/api/v1/packages/starter', { body: {} })
  t.equal((await panel.call('POST', '/api/v1/accounts', { body: alice })).status, 201)
  const added = await panelCall(['mail', 'domain', 'add', 'alice', domain])
  t.equal(added.code, 0, added.stderr)
  t.equal((await ask(`autoconfig.${domain}`, paths[0]!)).status, 421)
  t.equal((await ask('autoconfig.bob.example', paths[0]!)).status, 421)
})

t.test('a domain that gets mail is answered, with the names of the server alone', async t => {
  await see('mx')
  const isThere = async () => (await ask(`autoconfig.${domain}`, paths[0]!)).status === 200
  t.ok(await until(isThere, 20_000))
  for (const path of paths) {
    const { status, text } = await ask(`autoconfig.${domain}`, `${path}?emailaddress=%3Cx%3E`)
    t.equal(status, 200, path)
    t.match(text, /^content-type: text\/xml/im)
    t.match(text, `<hostname>${host}</hostname>`)
    t.match(text, '<username>%EMAILADDRESS%</username>')
    t.notMatch(text, /alice|&lt;|<x>/)
  }
  const sent = await ask(`autodiscover.${domain}`, outlook)
  t.match(sent, { status: 302, text: `https://${host}${outlook}` })
  for (const path of [outlook, '/Autodiscover/Autodiscover.xml']) {
    const { status, text } = await ask(host, path, 'https', '-d', '<EMailAddress>a@b.c<')
    t.equal(status, 200, path)
    t.match(text, `<Server>${host}</Server>`)
    t.notMatch(text, 'a@b.c')
  }
  for (const path of ['/', '/index.php', '/.well-known/acme-challenge/abcdefghijklmnopqrst']) {
    t.equal((await ask(`autoconfig.${domain}`, path)).status, 404, path)
  }
  t.equal((await ask(domain, paths[0]!)).status, 404, 'a website answers by itself')
  t.equal((await ask(`autoconfig.${domain}`, outlook, 'https')).status, 0, 'no certificate')
})

t.test('a website of the name comes first', async t => {
  const name = `autoconfig.${domain}`
  await panel.call('PUT', '/api/v1/packages/starter', { body: { max_sites: 3 } })
  const made = await panelCall(['site', 'add', 'alice', name])
  t.equal(made.code, 0, made.stderr)
  t.equal((await ask(name, paths[0]!)).status, 404)
  t.equal((await panelCall(['site', 'rm', 'alice', name, '--yes'])).code, 0)
  t.equal((await ask(name, paths[0]!)).status, 200)
})

t.test('a rebuild repairs the names, and names of the path reach nothing', async t => {
  rmSync(`${folder}/autodiscover.${domain}`)
  const rebuilt = await panelCall(['ctl', 'rebuild', 'alice'])
  t.equal(rebuilt.code, 0, rebuilt.stderr)
  const isBack = async () => (await ask(`autodiscover.${domain}`, outlook)).status === 302
  t.ok(await until(isBack, 20_000))
  writeFileSync('/var/lib/panel/web/secret', 'secret')
  for (const name of ['../secret', '.', '..', 'mail.example.net/..']) {
    const { text } = await ask(host, paths[0]!, '-H', `Host: ${name}`)
    t.notMatch(text, /secret|clientConfig/, name)
  }
})

t.test(
  'a domain that leaves is answered no more, and neither is one of a gone account',
  async t => {
    const fallOut = async () => {
      await see(null)
      await panel.pool.query(
        `update panel.mail_domains set missing_since = now() - interval '8 days'`,
      )
      await see(null)
      return until(
        async () => (await ask(`autoconfig.${domain}`, paths[0]!)).status === 421,
        20_000,
      )
    }
    t.ok(await fallOut())
    await see('mx')
    const isBack = async () => (await ask(`autoconfig.${domain}`, paths[0]!)).status === 200
    t.ok(await until(isBack, 20_000))
    t.match(await panel.call('DELETE', '/api/v1/accounts/alice'), { status: 200 })
    t.strictSame(readdirSync(folder), [host])
    t.equal((await panelCall(['mail', 'disable'])).code, 0)
    t.strictSame(readdirSync(folder), [])
    t.ok(await until(async () => (await ask(host, outlook, 'https')).status === 0, 10_000))
  },
)
