import t from 'tap'
import { createToken } from '../../../src/model/signing-in/tokens.ts'
import { openWebsites } from '../served.ts'
import { until } from '../../support/until.ts'
import { ask, statusOf } from '../raw.ts'
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'

// Further names of a website and redirects of whole names, as visitors see them.

const { make, set, panel } = await openWebsites(t)
await make({ 'page.txt': 'of eve', 'index.html': 'start of eve' })
await make({ 'page.txt': 'of nina' }, ['nina', '/home/nina/sites/nina.example/public'])

const web = '/var/lib/panel/web'
const thumbprint = 'T'.repeat(43)
const challenge = `/.well-known/acme-challenge/${'a'.repeat(43)}`
mkdirSync(`${web}/acme/${thumbprint}`)
rmSync(`${web}/acme/account`, { force: true })
symlinkSync(thumbprint, `${web}/acme/account`)

const { token } = await createToken(panel.pool, {
  ...{ owner: 'admin', name: 'Sites', permission: 'Sites' },
})
const patch = (body: object, domain = 'eve.example', username = 'eve') =>
  panel.call('PATCH', `/api/v1/accounts/${username}/sites/${domain}`, { token, body })
const get = (host: string, path = '/page.txt') => ask(host, path)
const locationOf = async (host: string, path = '/a?b=c') => {
  const answer = await get(host, path)
  const [head = ''] = answer.split('\r\n\r\n')
  const location = /^location: (.*)\r?$/im.exec(head)?.[1]?.trim()
  return `${statusOf(answer)} ${location ?? ''}`.trim()
}
const linkOf = (name: string): string | undefined =>
  existsSync(`${web}/names/${name}`) ? readlinkSync(`${web}/names/${name}`) : undefined

t.test('further names show the same website', async t => {
  await set('--alias', 'second.example', '--alias', 'BÜCHER.example')
  for (const name of ['second.example', 'www.second.example', 'xn--bcher-kva.example']) {
    t.match(await get(name), /of eve$/, name)
  }
  t.match(await get('SECOND.example'), /of eve$/)
  t.match(await get('second.example.'), /of eve$/)
  t.equal(statusOf(await get('x.second.example')), 421)
  const done = await patch({ aliases: ['second.example', 'third.example'] })
  t.match(done, { status: 200, body: { aliases: ['second.example', 'third.example'] } })
  t.match(await get('third.example'), /of eve$/)
  t.equal(statusOf(await get('xn--bcher-kva.example')), 421)
  t.equal(linkOf('xn--bcher-kva.example'), undefined)
  // Again the same, which changes nothing.
  t.match(await patch({ aliases: ['third.example', 'second.example', 'Second.Example'] }), {
    status: 200,
    body: { aliases: ['second.example', 'third.example'] },
  })
})

t.test('visits by any name are the website’s', async t => {
  const { rows } = await panel.pool.query(`select id from panel.sites where domain = 'eve.example'`)
  await get('third.example', '/counted-by-alias')
  const lines = await until(() => {
    const all = readFileSync('/var/log/nginx/panel-access.log', 'utf8').split('\n')
    const found = all.filter(line => line.includes('/counted-by-alias'))
    return found.length > 0 && found
  })
  t.equal(lines[0]?.split(' ')[1], rows[0].id)
})

t.test('the setting of www applies to them', async t => {
  await set('--www', 'redirect')
  t.equal(await locationOf('www.second.example'), '301 http://second.example/a?b=c')
  t.equal(await locationOf('www.eve.example'), '301 http://eve.example/a?b=c')
  t.match(await get('second.example'), /of eve$/)
  await set('--www', 'prefer')
  t.equal(await locationOf('second.example'), '301 http://www.second.example/a?b=c')
  t.match(await get('www.second.example'), /of eve$/)
  await set('--www', 'off')
  t.equal(statusOf(await get('www.second.example')), 421)
  t.match(await get('second.example'), /of eve$/)
  await set('--www', 'serve')
  t.match(await get('www.third.example'), /of eve$/)
})

t.test('whole names are redirected', async t => {
  const change = {
    'second.example': { to: 'https://new.example' },
    'www.second.example': { to: 'https://new.example/blog/', code: 308 },
    'third.example': { to: 'http://new.example:8080/x?y=z#w', code: 302, keeps_path: false },
    'www.eve.example': { to: 'https://eve.example/', code: 307 },
  }
  t.match(await patch({ name_redirects: change }), { status: 200 })
  t.equal(await locationOf('second.example'), '301 https://new.example/a?b=c')
  t.equal(await locationOf('second.example', '/'), '301 https://new.example/')
  t.equal(await locationOf('second.example', '/%0d%0aX:y'), '301 https://new.example/%0d%0aX:y')
  t.equal(await locationOf('www.second.example'), '308 https://new.example/blog/a?b=c')
  t.equal(await locationOf('third.example'), '302 http://new.example:8080/x?y=z#w')
  t.equal(await locationOf('www.eve.example'), '307 https://eve.example/a?b=c')
  t.match(await get('eve.example'), /of eve$/)
  t.match(await get('www.third.example'), /of eve$/)
  for (const name of ['second.example', 'third.example', 'www.eve.example']) {
    t.match(await get(name, challenge), thumbprint, 'an authority is not redirected')
  }
  t.notMatch(await get('eve.example', '/hosts/second.example/=to'), /new\.example/)

  // In addition to redirects of paths, which other names keep.
  await set('--redirect', '/old=/page.txt')
  t.equal(await locationOf('eve.example', '/old'), '301 http://eve.example/page.txt')
  t.equal(await locationOf('www.third.example', '/old'), '301 http://www.third.example/page.txt')
  t.equal(await locationOf('second.example', '/old'), '301 https://new.example/old')
  await set('--remove-redirect', '/old')

  await set('--www', 'redirect')
  t.equal(await locationOf('www.third.example'), '301 http://third.example/a?b=c')
  t.equal(await locationOf('www.second.example'), '308 https://new.example/blog/a?b=c')
  await set('--www', 'serve')

  await set('--remove-alias', 'second.example')
  const { body } = await panel.call('GET', '/api/v1/accounts/eve/sites/eve.example', { token })
  t.strictSame(Object.keys(body.name_redirects).sort(), ['third.example', 'www.eve.example'])
  t.equal(statusOf(await get('second.example')), 421)
  t.equal((await patch({ name_redirects: null })).status, 200)
  t.match(await get('third.example'), /of eve$/)
})

t.test('the whole website is redirected', async t => {
  await set('--name-redirect', 'eve.example=https://new.example', '--drop-path')
  t.equal(await locationOf('eve.example', '/any/path'), '301 https://new.example/')
  t.match(await get('www.eve.example'), /of eve$/)
  await set('--remove-name-redirect', 'eve.example')
  t.match(await get('eve.example'), /of eve$/)
})

t.test('a policy is sent as it was given', async t => {
  const policies = [
    "default-src 'self'",
    "default-src 'self' https://cdn.example.com https://*.example.org:*/a/b/ data: *; " +
      "script-src 'self' 'unsafe-inline' 'strict-dynamic'; upgrade-insecure-requests",
    "script-src 'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc=' cdn.example.com//x",
    `img-src ${Array.from({ length: 40 }, (_, n) => `https://img${n}.example.com`).join(' ')}`,
    `img-src ${Array.from({ length: 90 }, (_, n) => `img${n}.example`).join(' ')}`,
    'frame-ancestors https://a.example/; sandbox allow-scripts allow-forms',
    'report-uri https://r.example/csp/',
  ]
  await make({ 'own.php': "<?php header('Content-Security-Policy: own'); echo 1;" })
  const policyOf = async (path: string) =>
    /^content-security-policy: (.*)\r?$/im.exec(await get('eve.example', path))?.[1]?.trim()
  for (const policy of policies) {
    await set('--csp', policy)
    t.equal(await policyOf('/page.txt'), policy)
    t.equal(await policyOf('/none'), policy)
  }
  t.equal(await policyOf('/own.php'), 'own')
  await set('--protect', '/admin', '--frame', 'DENY')
  t.equal(statusOf(await get('eve.example', '/admin/x')), 401)
  t.equal(await policyOf('/page.txt'), policies.at(-1))
  // The longest that are allowed, together.
  const longest = `img-src ${`${'a'.repeat(18)}.example/b `.repeat(47)}${'c'.repeat(60)}.example`
  const folders = Array.from({ length: 9 }, (_, n) => `/${n}${'x'.repeat(97)}/${'y'.repeat(97)}`)
  t.match(await patch({ protected_paths: folders, headers: { csp: longest } }), { status: 200 })
  t.equal(await policyOf('/page.txt'), longest)
  t.equal(statusOf(await get('eve.example', `${folders.at(-1)}/z`)), 401)
  t.match(await patch({ protected_paths: [...folders, `/${'z'.repeat(99)}`] }), {
    status: 400,
    body: { error: /at most 1800 bytes together/ },
  })
  await set('--unprotect', '--frame', 'none', '--csp', 'none')
  t.equal(await policyOf('/page.txt'), undefined)
})

t.test('the machine is put right', async t => {
  rmSync(`${web}/names/third.example`)
  await set('--nosniff', 'yes')
  t.match(await get('third.example'), /of eve$/)
  await panel.call('POST', '/api/v1/accounts/eve/suspend')
  t.equal(statusOf(await get('third.example')), 503)
  await panel.call('POST', '/api/v1/accounts/eve/unsuspend')
  t.match(await get('third.example'), /of eve$/)
})

t.test('a removed website leaves no name', async t => {
  t.equal(
    (await panel.call('DELETE', '/api/v1/accounts/eve/sites/eve.example', { token })).status,
    200,
  )
  for (const name of ['eve.example', 'third.example', 'www.third.example']) {
    t.equal(linkOf(name), undefined, name)
  }
  const taken = await patch({ aliases: ['third.example'] }, 'nina.example', 'nina')
  t.match(taken, { status: 200, body: { aliases: ['third.example'] } })
  t.match(await get('third.example'), /of nina$/)
  await panel.call('DELETE', '/api/v1/accounts/nina')
  t.equal(linkOf('third.example'), undefined)
})
