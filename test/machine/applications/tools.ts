import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type Customer, form, hiddenField, type Visitor, visitorOf } from './customer.ts'
import type { Results } from './results.ts'
import { bring, libraries, unpacked } from './unpacked.ts'

// Roundcube and phpMyAdmin in folders of one website, each with its cookies and its sessions.

const domain = 'tools.example'

/** Tests phpMyAdmin. */
export async function showPhpMyAdmin(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  begin('phpMyAdmin at `/phpmyadmin`', 'phpmyadmin')
  const site = `sites/${domain}/public`
  const database = await customer.addDatabase('tools')
  const boss = visitorOf(customer.machine, domain)
  const main = '/phpmyadmin/index.php'
  await works(t, 'login and session', async t => {
    const folder = `${site}/phpmyadmin`
    await bring(customer, 'usr/share/phpmyadmin', folder)
    await customer.as(`mkdir -p ${folder}/tmp
      sed -i -e "s,'/var/lib/phpmyadmin/tmp/',ROOT_PATH . 'tmp/'," \\
        -e "s,'/etc/phpmyadmin/config.inc.php',ROOT_PATH . 'config.inc.php'," \\
        ${folder}/libraries/vendor_config.php`)
    await customer.put(folder, {
      'config.inc.php': settings,
      '.user.ini': `include_path = ".:/home/erin/${libraries}/php"\n`,
    })
    const page = await boss.ask('/phpmyadmin/')
    const fields = { pma_username: database.name, pma_password: database.password, server: '1' }
    const hidden = {
      token: hiddenField(page, 'token'),
      set_session: hiddenField(page, 'set_session'),
    }
    t.match(await boss.look(main, 'location', ...form({ ...fields, ...hidden })), /^302 /)
    t.match(await boss.ask(`${main}?route=/database/structure&db=${database.name}`), database.name)
    t.match(await boss.look('/phpmyadmin/themes/pmahomme/img/logo_right.png'), '200')
  })
  await works(t, 'import of an uploaded dump', async t => {
    const query = new URLSearchParams({ route: '/database/import', db: database.name })
    const page = await boss.ask(`${main}?${query}`)
    await customer.put('tmp', { 'dump.sql': 'CREATE TABLE brought (a INT);' })
    const fields = { db: database.name, import_type: 'database', format: 'sql' }
    const more = { token: hiddenField(page, 'token'), charset_of_file: 'utf-8' }
    const parts = Object.entries({ ...fields, ...more }).map(([name, value]) => `${name}=${value}`)
    const sent = [...parts, `import_file=@${customer.machine.root}/home/erin/tmp/dump.sql`]
    const done = await boss.ask(`${main}?route=/import`, ...sent.flatMap(part => ['-F', part]))
    t.match(done, 'Import has been successfully finished', done.slice(-2_000))
    const structure = await boss.ask(`${main}?route=/database/structure&db=${database.name}`)
    t.match(structure, 'brought')
  })
}

const settings = `<?php
$cfg['blowfish_secret'] = '0123456789abcdef0123456789abcdef';
$cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => 'localhost'];
`

/** Tests Roundcube with a mailbox that accepts everybody and has no mail. */
export async function showRoundcube(
  t: Test,
  customer: Customer,
  { begin, works }: Results,
): Promise<void> {
  begin('Roundcube at `/mail`', 'roundcube-core')
  await customer.addSite(domain)
  const { name, password } = await customer.addDatabase('mail')
  const site = `sites/${domain}`
  const visitor = visitorOf(customer.machine, domain)
  await works(t, 'login page and session', async t => {
    const folder = `${site}/roundcube`
    await bring(customer, 'var/lib/roundcube', folder, 'logs')
    await customer.as(`cd ${site}; mkdir roundcube/logs
      rm -rf roundcube/config; cp -rL ${unpacked}/etc/roundcube roundcube/config
      cp -r $HOME/files/usr/share/php/* roundcube/program/lib
      ln -s ../roundcube/public_html public/mail`)
    await customer.put(`${folder}/config`, {
      'config.inc.php': `<?php
$config['db_dsnw'] = 'mysql://${name}:${password}@localhost/${name}';
$config['des_key'] = '0123456789abcdef01234567';
$config['imap_host'] = 'localhost:143';
`,
    })
    await importTables(customer, name, folder)
    await showLogin(t, visitor)
  })
  await works(t, 'uploaded attachment', t => attach(t, customer, visitor))
  await works(t, 'logs, settings and tables not served', async t => {
    const secrets = /IMAP Error|des_key|CREATE TABLE/
    for (const path of ['logs/errors.log', 'config/config.inc.php', 'SQL/mysql.initial.sql']) {
      t.match(await customer.as(`cat ${site}/roundcube/${path}`), secrets)
      t.notMatch(await visitor.ask(`/mail/${path}`), secrets, path)
    }
  })
}

async function importTables(customer: Customer, name: string, folder: string): Promise<void> {
  const dump = `/home/erin/${folder}/SQL/mysql.initial.sql`
  await customer.panel('database', 'import', name, dump, '--yes')
}

async function showLogin(t: Test, visitor: Visitor): Promise<void> {
  const page = await visitor.ask('/mail/')
  t.match(page, /<title>.*Welcome to/s, page.slice(-2_000))
  const fields = { _task: 'login', _action: 'login', _user: 'boss', _pass: 'wrong' }
  const token = hiddenField(page, '_token')
  t.not(token, '')
  const refused = await visitor.ask('/mail/?_task=login', ...form({ ...fields, _token: token }))
  t.match(refused, 'Connection to storage server failed', 'the session has the token')
  const other = await visitor.ask('/mail/?_task=login', ...form({ ...fields, _token: 'other' }))
  t.match(other, /Your session is invalid or expired|invalid request/i, 'and no other')
  const [script = ''] = /(?<=src=")[^"]*app\.min\.js[^"]*/.exec(page) ?? []
  t.match(await visitor.look(new URL(script, `http://${domain}/mail/`).pathname), '200', script)
}

async function attach(t: Test, customer: Customer, visitor: Visitor): Promise<void> {
  const { machine } = customer
  copyFileSync(join(import.meta.dirname, '../fixtures/imap.php'), `${machine.root}/srv/imap.php`)
  const mailbox = machine.start(['php', '/srv/imap.php'])
  if (mailbox.child.stdout) await once(mailbox.child.stdout, 'data')
  const token = hiddenField(await visitor.ask('/mail/'), '_token')
  const fields = { _task: 'login', _action: 'login', _user: 'boss', _pass: 'right', _token: token }
  const entered = await visitor.look('/mail/?_task=login', 'location', ...form(fields))
  t.match(entered, /^302 .*_task=mail/)
  const page = await visitor.ask('/mail/?_task=mail&_action=compose', '-L')
  const [, id = ''] = /"compose_id":"(\w+)"/.exec(page) ?? []
  const [, secret = ''] = /"request_token":"(\w+)"/.exec(page) ?? []
  const file = `_attachments[]=@${await customer.drawPhoto()};type=image/jpeg`
  const words = ['-H', `X-Roundcube-Request: ${secret}`, '-F', file]
  const path = `/mail/?_task=mail&_id=${id}`
  const added = await visitor.ask(`${path}&_action=upload&_uploadid=1&_remote=1`, ...words)
  const [name = ''] = /rcmfile\w+/.exec(added) ?? []
  t.not(name, '', added)
  const shown = `${path}&_action=display-attachment&_file=${name}`
  t.equal(await visitor.look(shown, 'content-type'), '200 image/jpeg')
  await mailbox.stop()
}
