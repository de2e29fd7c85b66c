import { rmSync } from 'node:fs'
import type { Test } from 'tap'
import { createToken } from '../../src/model/signing-in/tokens.ts'
import { runPanel } from '../support/cli/run-panel.ts'
import { alice } from '../support/panel.ts'
import { until } from '../support/until.ts'
import { asUser, putFile, type LinuxPanel } from './machine.ts'
import { ask } from './raw.ts'
import { tendHomes } from './tend.ts'

// A rebuild of a website that has every setting, whose folders are gone.

const domain = 'sue.example'
const site = `/home/sue/sites/${domain}`
const settings = {
  document_root: 'app/web',
  fallback: 'none',
  www: 'redirect',
  serves_sources: true,
  hsts_seconds: 60,
  aliases: ['other.example', 'third.example'],
  redirects: { '/old': { to: 'https://new.example/page', code: 302 } },
  name_redirects: { 'third.example': { to: 'https://new.example', code: 301, keeps_path: true } },
  protected_paths: ['/admin'],
  users: { carol: 'correct horse' },
  headers: {
    nosniff: true,
    frame: 'DENY',
    referrer: 'same-origin',
    csp: "default-src 'self'; img-src https://img.example/a//b",
  },
  php: { memory_limit_mb: 64 },
}
const carol = `Authorization: Basic ${Buffer.from('carol:correct horse').toString('base64')}`

/** All that visitors see of a website with all settings is there again after a rebuild. */
export async function showAllSettings(t: Test, panel: LinuxPanel): Promise<void> {
  const body = { memory_mb: 256, php_execution_seconds: 60, max_aliases: 2 }
  t.match(await panel.call('PUT', '/api/v1/packages/full', { body }), { status: /^20[01]$/ })
  const sue = { ...alice, username: 'sue', package: 'full', domain }
  t.match(await panel.call('POST', '/api/v1/accounts', { body: sue }), { status: 201 })
  const { rows } = await panel.pool.query(
    `select a.uid, s.id from panel.accounts a join panel.sites s on s.account_id = a.id
     where a.username = 'sue'`,
  )
  const [{ uid, id }] = rows
  const root = `${site}/app/web`
  await asUser(uid, ['mkdir', '-p', `${root}/admin`, `${root}/data`])
  const files = {
    'page.txt': 'a page',
    'dump.sql': 'a dump',
    'admin/page.txt': 'an admin page',
    'data/page.txt': 'a secret',
    'data/.htaccess': 'Require all denied\n',
    'memory.php': '<?php echo ini_get("memory_limit");',
    'index.php': 'front',
  }
  for (const [name, text] of Object.entries(files)) await putFile({ uid }, `${root}/${name}`, text)
  const path = `/api/v1/accounts/sue/sites/${domain}`
  const sites = { owner: 'admin', name: 'Sites', permission: 'Sites' } as const
  const { token } = await createToken(panel.pool, sites)
  const changed = await panel.call('PATCH', path, { token, body: settings })
  t.equal(changed.status, 200, changed.text)
  t.ok(await tendHomes(panel))

  const requests: [host: string, path: string, ...lines: string[]][] = [
    [domain, '/page.txt'],
    [domain, '/dump.sql'],
    [domain, '/none'],
    [domain, '/old'],
    [domain, '/admin/page.txt'],
    [domain, '/admin/page.txt', carol],
    [domain, '/admin/page.txt', carol.replace('Y', 'Z')],
    [domain, '/data/page.txt'],
    [domain, '/memory.php'],
    [`www.${domain}`, '/page.txt'],
    ['other.example', '/page.txt'],
    ['www.other.example', '/page.txt?a'],
    ['third.example', '/page.txt?a'],
  ]
  const view = async () => {
    const answers: string[] = []
    for (const [host, path, ...lines] of requests) {
      answers.push((await ask(host, path, lines)).replace(/^Date: .*\r\n/im, ''))
    }
    return answers
  }
  const isWhole = async () => (await view())[7]?.startsWith('HTTP/1.1 403 ') ?? false
  t.ok(await until(isWhole, 10_000))
  const before = await view()
  const statuses = before.map(answer => Number(answer.slice(9, 12)))
  const expected = [200, 200, 404, 302, 401, 200, 401, 403, 200, 301, 200, 301, 301]
  t.strictSame(statuses, expected)
  t.match(before[0], /content-security-policy: .*https:\/\/img\.example\/a\/\/b/i)
  t.match(before[8], /\r\n\r\n.*64M/s)

  const web = '/var/lib/panel/web'
  const number = String(id).padStart(10, '0')
  const names = [domain, `www.${domain}`, 'other.example', 'third.example']
  const lost = {
    'all of it': [`live/${number}`, `suspended/${number}`, `sites/${number}`].concat(
      names.map(name => `names/${name}`),
    ),
    'its settings': [`live/${number}/set`, `live/${number}/settings`],
    'its limit': [`live/${number}/limit`, 'limits'],
  }
  for (const [what, paths] of Object.entries(lost)) {
    for (const one of paths) rmSync(`${web}/${one}`, { recursive: true })
    const result = await runPanel(['ctl', 'rebuild', 'sue'], {
      ...{ DATABASE_URL: panel.databaseUrl, PANEL_HOST: 'linux' },
      PANEL_STATE_DIR: '/var/lib/panel-state',
    })
    t.match(result, { code: 0, stderr: /1 account rebuilt, 0 failed, 1 differed/ }, result.stderr)
    t.strictSame(await view(), before, what)
  }
}
