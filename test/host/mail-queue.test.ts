import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import type { Machine } from '../../src/host/contract.ts'
import { mailState } from '../../src/host/mail/paths.ts'
import { ownedFile } from '../../src/host/mail-server/paths.ts'
import { readMail } from '../../src/host/mail-server/queue.ts'

// The queue as Postfix prints it, and the counts of recipients.

const root = t.testdir()
const machineWith = (lines: readonly string[]) =>
  ({
    path: (path: string) => join(root, path),
    async run(_: string, __: unknown, { onLine }: { onLine: (line: string) => void }) {
      for (const line of lines) onLine(line)
      return ''
    },
  }) as unknown as Machine

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const line = (id: number, recipients: object[], sender = 'a@alice.example') =>
  JSON.stringify({
    ...{ queue_name: 'deferred', queue_id: `Q${id}`, arrival_time: 1_700_000_000 - id },
    ...{ message_size: 1_000, forced_expire: false, sender, recipients },
  })

t.test('a server whose mail is not the panel’s has none', async t => {
  t.equal(await readMail(machineWith([])), undefined)
})

t.test('messages are counted, and the oldest are kept', async t => {
  write(ownedFile, '')
  t.match(await readMail(machineWith([])), { queue: { total: 0, messages: [] }, sent: [] })
  const reason = 'connect to mx[192.0.2.1]:25: timed out'
  const lines = [
    ...Array.from({ length: 2_500 }, (_, id) => line(id, [{ address: 'x@y.example' }])),
    line(9_999, [{ address: 'b@c.example', delay_reason: reason }, { address: 'd@e.example' }], ''),
    ...['', 'postqueue: warning', '{"queue_id": 1}'],
  ]
  const { queue } = (await readMail(machineWith(lines)))!
  t.equal(queue.total, 2_501)
  t.equal(queue.bytes, 2_501_000)
  t.strictSame(queue.senders, [
    { name: 'a@alice.example', messages: 2_500 },
    { name: '', messages: 1 },
  ])
  t.strictSame(queue.reasons, [{ name: reason, messages: 1 }])
  t.equal(queue.messages.length, 100)
  t.match(queue.messages[0], { id: 'Q9999', reason, recipient_count: 2, sender: '' })
  t.match(queue.messages[1], { id: 'Q2499', reason: null })
})

t.test('recipients of the last hour are summed', async t => {
  const now = Math.trunc(Date.now() / 60_000)
  write(`${mailState}/20001`, `${now - 61} 50\n${now - 59} 2\n${now} 3\n`)
  write(`${mailState}/20002`, `${now - 90} 9\n`)
  write(`${mailState}/20003`, `${now} 7\n`)
  write(`${mailState}/lock`, 'x\n')
  const { sent } = (await readMail(machineWith([])))!
  t.strictSame(sent, [
    { uid: 20_003, recipients: 7 },
    { uid: 20_001, recipients: 5 },
  ])
})
