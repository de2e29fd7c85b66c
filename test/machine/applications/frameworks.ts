import { join } from 'node:path'
import type { Test } from 'tap'
import { must } from '../debian-root.ts'
import { type Customer, type Visitor, visitorOf } from './customer.ts'
import type { Results } from './results.ts'

// Applications with a document root of their own, `public`, in releases that a link switches:
// shaped like those of Laravel and Symfony, and as small as these can be.

type Framework = {
  title: string
  domain: string
  /** The folder of its files in test/machine/fixtures. */
  fixture: string
  /** The folder that all releases share, by a link to it in each. */
  shared: string
  /** A script for each release, in its folder. */
  prepare: string
  style: string
  /** The way visitors get the current release, in words and as code. */
  way: string
  serve: (customer: Customer, site: string) => Promise<unknown>
  more: (t: Test, works: Results['works'], deployed: Deployed) => Promise<void>
}

type Deployed = { customer: Customer; visitor: Visitor; site: string }

const laravel: Framework = {
  title: 'Laravel-shaped application',
  domain: 'laravel.example',
  fixture: 'laravel',
  shared: 'storage',
  // Laravel's own command makes the link from a whole path.
  prepare: `mkdir -p storage/logs storage/app/public
    ln -s "$PWD/storage/app/public" public/storage`,
  style: '/css/app.css',
  way: 'by `--document-root current/public`',
  serve: ({ panel }) =>
    panel('site', 'set', 'laravel.example', '--document-root', 'current/public'),
  more: (t, works, { customer, visitor, site }) =>
    works(t, 'storage link', async t => {
      await customer.put(`${site}/shared/storage/app/public`, { 'photo.txt': 'a photo' })
      t.equal(await visitor.ask('/storage/photo.txt'), 'a photo')
      t.match(await visitor.look('/storage/'), /^40[34]/)
      t.match(await customer.as(`cat ${site}/shared/storage/logs/laravel.log`), '/orders/1')
      for (const path of ['/../.env', '/storage/../../.env', '/storage/logs/laravel.log']) {
        t.match(await visitor.look(path, 'none', '--path-as-is'), /^40[04]/, path)
      }
    }),
}

const symfony: Framework = {
  title: 'Symfony-shaped application',
  domain: 'symfony.example',
  fixture: 'symfony',
  shared: 'var',
  prepare: 'mkdir -p var/cache',
  style: '/build/app.3f9a.css',
  way: 'with `public` a link to `current/public`',
  serve: ({ as }, site) => as(`cd ${site}; rmdir public; ln -s current/public public`),
  more: (t, works, { visitor }) =>
    works(t, 'paths after `/index.php`', async t => {
      t.match(await visitor.ask('/index.php/orders/7?a=b'), '/orders/7 of releases')
      t.match(await visitor.look('/index.php/none'), '404')
    }),
}

/** Tests both applications. */
export async function showFrameworks(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  for (const framework of [laravel, symfony]) {
    begin(framework.title)
    const site = `sites/${framework.domain}`
    const visitor = visitorOf(customer.machine, framework.domain)
    await works(t, `front controller, ${framework.way}`, async t => {
      await customer.addSite(framework.domain)
      for (const number of [1, 2]) await release(customer, framework, number)
      await customer.as(`cd ${site}; ln -s releases/1 current`)
      await framework.serve(customer, site)
      t.equal(await visitor.ask('/'), '/ of releases 1 1')
      t.equal(await visitor.ask('/orders/1'), '/orders/1 of releases 1 1')
      t.equal(await visitor.ask(framework.style), '/* release 1 */\n')
      t.equal(await visitor.look('/no/such/page'), '404')
    })
    await framework.more(t, works, { customer, visitor, site })
    await works(t, '100 switches without a failed request', t =>
      switchReleases(t, customer, framework),
    )
  }
}

const fixtures = join(import.meta.dirname, '../fixtures')

async function release(customer: Customer, framework: Framework, number: number): Promise<void> {
  const { fixture, domain, shared, prepare } = framework
  const archive = await must('tar', ['-C', join(fixtures, fixture), '-c', '.'])
  await customer.as(
    `cd sites/${domain}; mkdir -p releases/${number} shared/${shared}
    cd releases/${number}; tar -x
    grep -rl RELEASE . | xargs sed -i s/RELEASE/${number}/g
    ln -s ../../shared/${shared} .
    ${prepare}`,
    archive,
  )
}

async function switchReleases(t: Test, customer: Customer, framework: Framework): Promise<void> {
  const { domain, style } = framework
  const state = { isDone: false }
  const load = async (path: string, expected: RegExp) => {
    const visitor = visitorOf(customer.machine, domain)
    let count = 0
    while (!state.isDone) {
      const seen = await visitor.ask(`${path}?[1-50]`, '-w', ' %{http_code}|')
      const lines = seen.split('|').slice(0, -1)
      const wrong = lines.filter(line => !expected.test(line))
      if (wrong.length > 0) t.fail(`${path}: ${wrong[0]}`)
      count += lines.length
    }
    return count
  }
  const loads = [
    load('/orders/1', /^\/orders\/1 of releases ([12]) \1 200$/),
    load('/', /^\/ of releases ([12]) \1 200$/),
    load(style, /^\/\* release [12] \*\/\n 200$/),
  ]
  await customer.as(`cd sites/${domain}
    for turn in $(seq 100); do
      ln -s releases/$((turn % 2 + 1)) next; mv -T next current; sleep 0.02
    done`)
  state.isDone = true
  const counts = await Promise.all(loads)
  for (const count of counts) t.ok(count > 100, `${count} requests`)
}
