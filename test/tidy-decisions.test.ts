import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

// Decision records keep their number for good. One that no longer holds is not removed: its status
// names the record that replaces it.

const folder = join(import.meta.dirname, '../docs/decisions')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
const records = readdirSync(folder).filter(name => name !== 'README.md')

const header = /^# .+\n\nDate: (\d{4}-\d\d-\d\d) · Status: (?:accepted|superseded by (\d{4}))\n\n/

t.test('each decision record has a number, a date and a status', async t => {
  const numbers = records.map(name => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1] ?? name)
  t.strictSame(
    numbers.toSorted(),
    numbers.map((_, index) => String(index + 1).padStart(4, '0')),
    'numbers have no gap: records are never removed',
  )
  for (const name of records) {
    const [, date = '', successor] = header.exec(read(name)) ?? []
    t.not(date, '', `${name} begins with a title, a date and a status`)
    t.notOk(Number.isNaN(Date.parse(date)), `${name}: ${date} is a date`)
    if (successor !== undefined) t.ok(numbers.includes(successor), `${name}: ${successor} exists`)
  }
})

t.test('the index has one line for each decision record', async t => {
  const listed = [...read('README.md').matchAll(/\]\((\d{4}-[a-z0-9-]+\.md)\)/g)]
  t.strictSame(
    listed.map(([, name]) => name),
    records.toSorted(),
  )
})
