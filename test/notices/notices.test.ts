import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { kindsFor, noticeKinds, type NoticeKind } from '../../src/model/notices/notice-kinds.ts'
import { courierOn } from '../support/courier.ts'
import { readMail, relayOn } from '../support/own-mail.ts'
import { alice } from '../support/panel.ts'
import { makeReseller } from '../support/reseller.ts'
import { until } from '../support/until.ts'
import { openWeb } from '../support/web/browser.ts'
import { openBrowser } from '../support/web/person.ts'
import { signIn } from '../support/web/signed-in.ts'

const { panel } = await openWeb(t)
const { pool } = panel
const smtp = await relayOn(t, pool)
const boss = { name: 'boss', role: 'administrator', email: 'boss@example.com' } as const
await addOperator(pool, { ...boss, password: 'a password of it' })
await makeReseller(pool, 'rita')
// The tests' own administrator gets none.
await pool.query(
  `insert into panel.notice_choices (operator_id, kind, is_chosen)
   select o.id, k, false
   from panel.operators o, unnest($1::text[]) k where o.name not in ('boss', 'rita')`,
  [Object.keys(noticeKinds)],
)
let crash: string | undefined
await courierOn(t, panel.databaseUrl, {
  observe: async (step, work) => {
    const result = await work()
    if (step === crash) throw new Error('killed')
    return result
  },
})

let round = 0
/** Has the courier do one round, and returns the mails of it. */
const mails = async () => {
  smtp.received.length = 0
  round += 1
  await pool.query(
    `select courier_queue.add_job('mail/send-notices', '{}', job_key => $1, max_attempts => 1)`,
    [`round ${round}`],
  )
  const isOver = async () =>
    (
      await pool.query(
        `select from courier_queue._private_jobs where key = $1 and attempts < max_attempts`,
        [`round ${round}`],
      )
    ).rowCount === 0
  t.ok(await until(isOver))
  await until(async () => {
    const { rows } = await pool.query(
      `select from courier_queue._private_jobs where locked_at is not null`,
    )
    return rows.length === 0
  })
  return smtp.received.map(mail => ({ to: mail.to[0], ...readMail(mail) }))
}
/** Makes everything an hour older. */
const passHour = () =>
  pool.query(`
    update panel.notice_mails set created_at = created_at - interval '61 minutes';
    update panel.notice_causes set gone_since = gone_since - interval '61 minutes'`)
const fill = (percent: number) =>
  pool.query(
    `insert into panel.disk_usage (account_id, bytes, measured_at)
     select a.id, ceil(p.disk_mb * 1048576.0 * $1 / 100), now()
     from panel.accounts a join panel.packages p on p.id = a.package_id
     where a.username = 'alice'
     on conflict (account_id) do update set bytes = excluded.bytes`,
    [percent],
  )

t.test('a full disk is reported at 80% and at 100%, each once', async t => {
  t.strictSame(await mails(), [])
  await fill(79)
  t.strictSame(await mails(), [])
  await fill(81)
  const [first, ...others] = await mails()
  t.strictSame(others, [], 'by default the customer alone gets it')
  t.equal(first?.to, alice.email)
  t.match(first?.head, /^Subject: alice uses 81% of its disk space$/m)
  t.match(first?.body, /\nhttps:\/\/panel\.test:8443\/account\/usage\n/)
  t.match(first?.body, /\nhttps:\/\/panel\.test:8443\/account\/security\/notices$/)
  await passHour()
  t.strictSame(await mails(), [], 'once')
  await fill(100)
  t.match((await mails())[0]?.body, /Websites can fail now/)
  await passHour()
  await fill(95)
  t.strictSame(await mails(), [], 'less than before is no new cause')
})

t.test('a cause that ended and comes back is a new one; one that flaps is not', async t => {
  await fill(10)
  await passHour()
  t.strictSame(await mails(), [])
  await fill(85)
  t.strictSame(await mails(), [], 'within an hour')
  await fill(10)
  await mails()
  await passHour()
  await mails()
  await fill(85)
  t.match((await mails())[0]?.head, /Subject: alice uses 85%/)
})

const webhook = '00000000-0000-4000-8000-000000000001'
const breakThings = () =>
  pool.query(`
    insert into panel.webhooks (id, url, secret, events)
    values ('${webhook}', 'https://u:pw@hooks.example/secret-path?k=1',
      decode(repeat('00', 60), 'hex'), null);
    insert into panel.failed_backups (error) values ('no space: secret');
    update panel.newest_release set version = '99.1.0'`)

t.test('several within an hour become one mail', async t => {
  await breakThings()
  await pool.query(
    `insert into panel.deliveries
       (webhook_id, event_id, state, created_at, finished_at, queue_job_id)
     select $1, (select min(id) from panel.events), 'failed', now(), now(), 1
     from generate_series(1, 3)`,
    [webhook],
  )
  const [first, ...others] = await mails()
  t.strictSame(others, [])
  t.equal(first?.to, boss.email)
  t.match(first?.head, /^Subject: 3 notices from panel\.test$/m)
  for (const shown of ['hooks.example', 'panel backup create failed', 'Version 99.1.0']) {
    t.match(first?.body, shown)
  }
  t.notMatch(first?.body, /secret|pw@/)
  await pool.query(`update panel.newest_release set version = '99.2.0'`)
  await pool.query(
    `update panel.certificates set expires_at = now() + interval '5 days', issuer = 'x',
       installed_names = '{alice.example}', renew_at = now()`,
  )
  t.equal((await mails()).filter(({ to }) => to === boss.email).length, 0, 'not within the hour')
  await passHour()
  const later = (await mails()).find(({ to }) => to === boss.email)
  t.match(later?.head, /^Subject: \S+ (notices|99\.2\.0|certificate)/m)
  await passHour()
  t.strictSame(await mails(), [])
})

t.test('a sign-in from a new device is reported to that person, a known one is not', async t => {
  const device = openBrowser(panel.baseUrl)
  const entered = { username: 'boss', password: 'a password of it' }
  await device.submit('/sign-in', entered)
  const [first, ...others] = await mails()
  t.strictSame(others, [])
  t.match(first, { to: boss.email, head: /Subject: New sign-in as boss/ })
  t.match(first?.body, '/my-account')
  await passHour()
  await device.submit('/sign-in', entered)
  t.strictSame(await mails(), [])
  await device.submit('/sign-in', { ...entered, username: boss.email })
  t.strictSame(await mails(), [], 'by e-mail address it is the same device')
})

t.test('a failed backup of an account is reported to those who offer it', async t => {
  await pool.query(
    `insert into panel.account_backups (account_id, username, operation_id, state, error)
     select id, username, gen_random_uuid(), 'failed', 'a secret reason'
     from panel.accounts where username = 'alice'`,
  )
  const [first, ...others] = await mails()
  t.strictSame(others, [], 'the customer by default gets none')
  t.match(first, { to: boss.email, head: /Subject: The backup of alice failed/ })
  t.notMatch(first?.body, /secret/)
  await passHour()
})

t.test('people choose, each among the kinds of its role', async t => {
  const rita = await signIn(panel, 'rita')
  const page = await rita.get('/my-account/notices')
  t.match(page.text, 'Disk space is 80%')
  t.notMatch(page.text, 'A webhook fails')
  const sent = await rita.submit('/my-account/notices', { notices: 'quota' })
  t.equal(sent.status, 303)
  t.match((await rita.get('/my-account')).text, 'disk space is 80%')
  await rita.submit('/my-account/notices', { notices: 'webhook' })
  t.match((await rita.get('/my-account')).text, 'You get no notices')
  for (const role of ['administrator', 'reseller', 'customer'] as const) {
    t.ok(kindsFor(role).some(({ name }) => name === 'sign-in'))
  }
})

t.test('a mail that fails is tried again, and one killed after it was sent is bounded', async t => {
  await passHour()
  smtp.mode = 'refuses-recipients'
  await fill(10)
  await mails()
  await passHour()
  await mails()
  await fill(90)
  t.strictSame(await mails(), [])
  const { rows } = await pool.query(
    `select attempts, error, state from panel.notice_mails where state = 'due'`,
  )
  t.match(rows, [{ attempts: 1, error: /no such mailbox/ }])
  const state = await pool.query('select error from panel.own_mail_state')
  t.match(state.rows[0].error, /no such mailbox/)
  smtp.mode = 'accepts'
  const hurry = () => pool.query(`update panel.notice_mails set due_at = now()`)
  crash = 'send'
  let sent = 0
  for (let at = 0; at < 16; at += 1) {
    await hurry()
    sent += (await mails()).length
  }
  t.ok(sent >= 1 && sent <= 14, `${sent}`)
  crash = undefined
})

t.test('killed at any step, it is sent, and at most twice', async t => {
  const hurry = () => pool.query(`update panel.notice_mails set due_at = now()`)
  await passHour()
  await hurry()
  await mails()
  for (const [at, step] of ['find', 'start', 'send', 'end'].entries()) {
    await passHour()
    await pool.query('update panel.newest_release set version = $1', [`99.2.${at + 1}`])
    crash = step
    const before = (await mails()).length
    crash = undefined
    await hurry()
    const sent = before + (await mails()).length
    t.ok(sent >= 1 && sent <= 2, `${step}: ${sent}`)
    await hurry()
    t.strictSame(await mails(), [], step)
  }
})

t.test('no name or text reaches a header as one', async t => {
  const hostile = {
    username: 'x\r\nBcc: a@evil.example',
    percent: 1,
    domain: 'y\nX: 1',
    name: 'n\r\n',
  }
  for (const { subject } of Object.values<NoticeKind>(noticeKinds)) subject(hostile)
  await passHour()
  await pool.query(`update panel.newest_release set version = E'99.3.0\r\nBcc: a@evil.example'`)
  const [mail] = await mails()
  t.notMatch(mail?.head, /^Bcc/m)
  t.strictSame(smtp.received[0]?.to, [boss.email])
})
