import type { Test } from 'tap'
import { until } from '../../support/until.ts'
import { type Customer, form, hiddenField, type Visitor, visitorOf } from './customer.ts'
import type { Results } from './results.ts'
import { bring, unpacked } from './unpacked.ts'

// DokuWiki at the root of a website, with page names as paths (`userewrite`) and its data outside
// of what is served.

const domain = 'doku.example'
const owner = { name: 'boss', password: 'correct horse' }

/** Tests DokuWiki. */
export async function showDokuWiki(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  begin('DokuWiki at `/`', 'dokuwiki')
  const site = await customer.addSite(domain)
  const [boss, visitor] = [visitorOf(customer.machine, domain), visitorOf(customer.machine, domain)]
  await works(t, 'start page', async t => {
    await install(customer, site)
    t.match(await visitor.ask('/'), /DokuWiki|Doku/)
    t.equal(await visitor.look('/lib/exe/css.php', 'content-type'), '200 text/css; charset=utf-8')
    t.match(await visitor.look('/lib/exe/jquery.php', 'content-type'), /^200 .*javascript/)
    t.match(await visitor.look('/lib/exe/js.php', 'content-type'), /^200 application\/javascript/)
  })
  await works(t, 'login cookies', t => signIn(t, boss))
  await works(t, 'pages with `userewrite`', t => showPages(t, boss, visitor))
  await works(t, 'uploaded image', t => upload(t, customer, boss, visitor))
  await works(t, 'folders that its `.htaccess` files close', t => close(t, customer, visitor))
  await works(t, 'data not served', t => hide(t, customer, site, visitor))
}

/** Does what the rules of its `.htaccess` do elsewhere. */
const front = `<?php
$path = rawurldecode(strtok($_SERVER['REQUEST_URI'], '?'));
$script = '/doku.php';
if (preg_match('~^/_(media|detail)/(.*)$~', $path, $found)) {
    $script = $found[1] === 'media' ? '/lib/exe/fetch.php' : '/lib/exe/detail.php';
    $_GET['media'] = $_REQUEST['media'] = $found[2];
} elseif (preg_match('~^/_export/([^/]+)/(.*)$~', $path, $found)) {
    $_GET['do'] = $_REQUEST['do'] = 'export_' . $found[1];
    $_GET['id'] = $_REQUEST['id'] = $found[2];
} elseif ($path !== '/' && $path !== '/index.php') {
    $_GET['id'] = $_REQUEST['id'] = substr($path, 1);
}
require __DIR__ . $script;
`

async function install(customer: Customer, site: string): Promise<void> {
  await bring(customer, 'usr/share/dokuwiki', site)
  await customer.as(`mkdir ${site}/conf
    tar -C ${unpacked}/etc/dokuwiki -ch . | tar -x -C ${site}/conf
    cp -rL ${unpacked}/var/lib/dokuwiki/data ${site}/../data
    rm -f ${site}/inc/preload.php
    sed -i '/savedir/d' ${site}/conf/dokuwiki.php`)
  const hash = await customer.as(`php -r 'echo password_hash("${owner.password}", 1);'`)
  await customer.put(`${site}/conf`, {
    'local.php': `<?php
$conf['title'] = 'Doku';
$conf['useacl'] = 1;
$conf['superuser'] = '@admin';
$conf['userewrite'] = 1;
$conf['send404'] = 1;
$conf['savedir'] = '../data';
`,
    'users.auth.php': `# <?php exit()?>\n${owner.name}:${hash}:Boss:boss@${domain}:admin,user\n`,
    'acl.auth.php': '# <?php exit()?>\n*\t@ALL\t1\n*\t@user\t8\n',
  })
  await customer.put(site, { 'index.php': front })
}

async function signIn(t: Test, boss: Visitor): Promise<void> {
  const page = await boss.ask('/start?do=login')
  const fields = { u: owner.name, p: owner.password, do: 'login', id: 'start' }
  const sectok = hiddenField(page, 'sectok')
  await boss.ask('/start', ...form({ ...fields, sectok }))
  t.match(await boss.ask('/start'), 'do=logout')
}

async function edit(boss: Visitor, id: string, wikitext: string): Promise<void> {
  const page = await boss.ask(`/${id}?do=edit`)
  const names = ['sectok', 'date', 'changecheck', 'target', 'prefix', 'suffix', 'rev']
  const hidden = Object.fromEntries(names.map(name => [name, hiddenField(page, name)]))
  await boss.ask(`/${id}`, ...form({ ...hidden, id, wikitext, 'do[save]': '1' }))
}

async function showPages(t: Test, boss: Visitor, visitor: Visitor): Promise<void> {
  await edit(boss, 'some:page', '[[start|first]] text')
  const seen = await visitor.ask('/some:page')
  t.match(seen, ' text')
  t.match(seen, 'href="/start"')
  t.match(await visitor.ask('/_export/raw/some:page'), '[[start|first]] text')
  t.equal(await visitor.look('/no:such:page'), '404')
}

async function upload(t: Test, customer: Customer, boss: Visitor, visitor: Visitor): Promise<void> {
  const file = await customer.drawPhoto()
  const sectok = hiddenField(await boss.ask('/start?do=media'), 'sectok')
  const fields = ['-F', `sectok=${sectok}`, '-F', 'ns=some', '-F', 'mediaid=photo.jpg']
  const sent = [...fields, '-F', `qqfile=@${file};type=image/jpeg`]
  const answer = await boss.ask('/lib/exe/ajax.php?call=mediaupload&ns=some', ...sent)
  t.match(answer, /"success":true/)
  t.equal(await visitor.look('/_media/some:photo.jpg', 'content-type'), '200 image/jpeg')
  await edit(boss, 'some:photos', '{{:some:photo.jpg?100}}')
  const page = await visitor.ask('/some:photos')
  const [smaller = ''] = /(?<=src=")\/_media\/[^"]*w=100[^"]*/.exec(page) ?? []
  const seen = await visitor.look(smaller.replaceAll('&amp;', '&'), 'content-type')
  t.equal(seen, '200 image/jpeg', smaller)
}

async function close(t: Test, customer: Customer, visitor: Visitor): Promise<void> {
  await customer.panel('site', 'recheck', domain)
  const closed = ['/conf/users.auth.php', '/inc/init.php', '/bin/dwpage.php', '/vendor/none']
  for (const path of closed) {
    t.ok(await until(async () => (await visitor.look(path)) === '403'), path)
  }
  t.match(await customer.readPage(`/account/sites/${domain}`), '/bin, /conf, /inc, /vendor')
  t.equal(await visitor.look('/lib/exe/css.php', 'content-type'), '200 text/css; charset=utf-8')
}

async function hide(t: Test, customer: Customer, site: string, visitor: Visitor): Promise<void> {
  await customer.as(`test -e ${site}/../data/pages/some/page.txt`)
  for (const path of ['/data/pages/some/page.txt', '/../data/pages/some/page.txt']) {
    t.notMatch(await visitor.ask(path, '--path-as-is'), '[[start|first]]', path)
  }
  t.notMatch(await visitor.ask('/conf/users.auth.php'), owner.name)
}
