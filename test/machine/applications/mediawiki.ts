import type { Test } from 'tap'
import { type Customer, form, type Visitor, visitorOf } from './customer.ts'
import type { Results } from './results.ts'
import { bring } from './unpacked.ts'

// MediaWiki in /w, whose pages are at /wiki/Title: a script there leads to it.

const domain = 'wiki.example'
const owner = { name: 'Boss', password: 'correct horse battery' }

/** Tests MediaWiki. */
export async function showMediaWiki(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  begin('MediaWiki at `/w`', 'mediawiki')
  const site = await customer.addSite(domain)
  const database = await customer.addDatabase('wiki')
  const [boss, visitor] = [visitorOf(customer.machine, domain), visitorOf(customer.machine, domain)]
  await works(t, 'installer', async () => {
    // Its extensions are as large again.
    await bring(customer, 'usr/share/mediawiki', `${site}/w`, 'extensions', 'extensions-core')
    const names = `--dbname ${database.name} --dbuser ${database.name}`
    await customer.as(
      `cd ${site}; mkdir -p wiki w/extensions w/images ../cache
      php w/maintenance/install.php ${names} --dbpass '${database.password}' --dbserver localhost \\
        --server http://${domain} --scriptpath /w --pass '${owner.password}' Wiki ${owner.name}
      cat >>w/LocalSettings.php`,
      settings,
    )
    await customer.put(`${site}/wiki`, {
      'index.php': `<?php require __DIR__ . '/../w/index.php';\n`,
    })
    t.match(await visitor.ask('/w/index.php', '-L'), 'Main Page')
  })
  await works(t, 'login cookies', t => signIn(t, boss))
  await works(t, 'pages at `/wiki/Title`', t => showPages(t, boss, visitor))
  await works(t, 'uploaded image and its thumbnail', t => upload(t, customer, boss, visitor))
}

const settings = `
$wgArticlePath = '/wiki/$1';
$wgEnableUploads = true;
$wgCacheDirectory = __DIR__ . '/../../cache';
$wgDeletedDirectory = __DIR__ . '/../../deleted';
`

/** Calls its API; a GET without fields. */
async function call(
  { ask }: Visitor,
  query: Record<string, string>,
  ...words: string[]
): Promise<Record<string, any>> {
  const asked = new URLSearchParams({ ...query, format: 'json' })
  return JSON.parse(await ask(`/w/api.php?${asked}`, ...words))
}

async function tokenOf(boss: Visitor, type: string): Promise<string> {
  const { query } = await call(boss, { action: 'query', meta: 'tokens', type })
  return query.tokens[`${type}token`]
}

async function signIn(t: Test, boss: Visitor): Promise<void> {
  const fields = { lgname: owner.name, lgpassword: owner.password }
  const lgtoken = await tokenOf(boss, 'login')
  const { login } = await call(boss, { action: 'login' }, ...form({ ...fields, lgtoken }))
  t.equal(login.result, 'Success')
  const { query } = await call(boss, { action: 'query', meta: 'userinfo' })
  t.equal(query.userinfo.name, owner.name)
}

const titles = [
  'Main Page',
  'AC/DC',
  'C++',
  'Who?',
  'Index.php',
  'Tool.php/more',
  'Dump.sql',
  '.NET',
]

async function showPages(t: Test, boss: Visitor, visitor: Visitor): Promise<void> {
  const token = await tokenOf(boss, 'csrf')
  for (const title of titles) {
    const fields = form({ text: `Text of ${title}.`, token })
    const { edit } = await call(boss, { action: 'edit', title }, ...fields)
    t.equal(edit?.result, 'Success', title)
    const path = `/wiki/${title.split('/').map(encodeURIComponent).join('/')}`
    t.match(await visitor.ask(path.replaceAll('%20', '_')), `Text of ${title}.`, path)
  }
  t.match(await visitor.ask('/wiki/Main_Page'), 'href="/wiki/')
  t.equal(await visitor.look('/wiki/No_such_page'), '404')
  t.equal(await visitor.look('/w/LocalSettings.php'), '200')
  t.equal(await visitor.ask('/w/LocalSettings.php'), '')
}

async function upload(t: Test, customer: Customer, boss: Visitor, visitor: Visitor): Promise<void> {
  const file = await customer.drawPhoto()
  const token = ['-F', `token=${await tokenOf(boss, 'csrf')}`]
  const sent = [...token, '-F', `file=@${file};type=image/jpeg`]
  const query = { action: 'upload', filename: 'Photo.jpg', ignorewarnings: '1' }
  const answer = await call(boss, query, ...sent)
  t.equal(answer['upload']?.result, 'Success', JSON.stringify(answer))
  const shown = { action: 'query', titles: 'File:Photo.jpg', prop: 'imageinfo' }
  const info = await call(boss, { ...shown, iiprop: 'url', iiurlwidth: '200' })
  const [page] = Object.values<any>(info['query'].pages)
  const [{ url, thumburl }] = page.imageinfo
  for (const seen of [url, thumburl]) {
    t.match(await visitor.look(seen, 'content-type'), '200 image/jpeg', seen)
  }
  t.match(thumburl, /\/w\/images\/thumb\/.*\/200px-Photo\.jpg$/)
}
