import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { addOperator } from '../../src/model/sellers/operators.ts'
import { database } from '../support/database.ts'
import { readMail, relayOn } from '../support/own-mail.ts'
import { inherited, startProcess, untilStarted } from '../support/processes.ts'
import { until } from '../support/until.ts'

// The courier is killed with SIGKILL before and after each step of a notice; the next one sends it.

const program = 'test/support/programs/courier.ts'
const { url, pool } = await database(t, 'panel')
const smtp = await relayOn(t, pool)
const boss = { name: 'boss', role: 'administrator', email: 'boss@example.com' } as const
await addOperator(pool, { ...boss, password: 'a password of it' })

let round = 0
const addJob = () =>
  pool.query(
    `select courier_queue.add_job('mail/send-notices', '{}', job_key => $1, max_attempts => 1)`,
    [`round ${(round += 1)}`],
  )
const statesOf = async () =>
  (await pool.query<{ state: string }>('select state from panel.notice_mails')).rows.map(
    ({ state }) => state,
  )

/** Starts a courier that kills itself at that step, and returns once it is dead. */
async function killed(step: string, moment: string): Promise<void> {
  const file = join(import.meta.dirname, '../..', program)
  const child = spawn(process.execPath, [file, url, step, moment], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: inherited,
  })
  const [, signal] = await once(child, 'exit')
  t.equal(signal, 'SIGKILL')
}

const cases = ['find', 'start', 'send', 'end'].flatMap(step => [
  [step, 'before'] as const,
  [step, 'after'] as const,
])

for (const [step, moment] of cases) {
  await t.test(`a courier that is killed ${moment} «${step}»`, async t => {
    smtp.received.length = 0
    await pool.query('delete from panel.notice_mails')
    const browser = `Browser of ${step} ${moment}`
    await pool.query(
      `select panel.note_new_device(o.id, null, '192.0.2.1', $1)
       from panel.operators o where o.name = 'boss'`,
      [browser],
    )
    await addJob()
    await killed(step, moment)
    // A mail whose attempt began is due again a minute later.
    await pool.query('update panel.notice_mails set due_at = now()')
    const next = await startProcess(t, program, [url], untilStarted)
    await addJob()
    await until(async () => {
      const states = await statesOf()
      return states.length > 0 && states.every(state => state === 'sent')
    })
    await addJob()
    await until(async () => {
      const { rowCount } = await pool.query(
        `select from courier_queue._private_jobs where key = $1 and attempts < max_attempts`,
        [`round ${round}`],
      )
      return rowCount === 0
    })
    await next.kill()

    t.strictSame(await statesOf(), ['sent'])
    const mails = smtp.received.map(readMail)
    const ids = new Set(mails.map(({ head }) => /^Message-ID: (\S+)$/im.exec(head)?.[1]))
    t.equal(ids.size, 1, 'a mail program shows it once')
    // The relay has accepted the mail and no row says so: it is sent again under its id.
    const isUnknown =
      (step === 'send' && moment === 'after') || (step === 'end' && moment === 'before')
    t.equal(mails.length, isUnknown ? 2 : 1)
    for (const { head } of mails) t.match(head, /^Subject: New sign-in as boss/m)
  })
}
