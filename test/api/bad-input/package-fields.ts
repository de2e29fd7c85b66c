import type { Test } from 'tap'
import {
  putPackage,
  shown,
  starter,
  type Refusals,
  type Refused,
} from '../../support/api/refusals.ts'

export default async function test(t: Test, { refuse, send }: Refusals): Promise<void> {
  const numbers = [
    ['max_sites', 0, 10_000],
    ['disk_mb', 1, 10_000_000],
    ['memory_mb', 32, 1_048_576],
    ['cpu_percent', 1, 6_400],
    ['max_databases', 0, 10_000],
    ['database_connections', 1, 1_000],
    ['php_execution_seconds', 1, 300],
    ['max_cron_jobs', 0, 200],
    ['cron_interval_minutes', 1, 1_440],
    ['cron_run_minutes', 1, 10_080],
    ['mails_per_hour', 0, 100_000],
    ['max_mailboxes', 0, 10_000],
    ['keep_daily', 0, 366],
    ['keep_weekly', 0, 520],
    ['keep_monthly', 0, 120],
  ] as const

  // As JSON text, because JavaScript would not write all of them. Null and an empty text are none.
  const noNumbers = ['true', 'false', '" "', '"100"', '"1e2"', '[]', '[100]', '{}']
  const noWholeNumbers = ['0.5', '100.5', '1e-1', '100.00000000000001', '-0.5']
  const farNumbers = [
    '-1',
    '-100',
    '1e9',
    '2147483647',
    '2147483648',
    // 100 again, in 32 or in 64 bits.
    '4294967396',
    '18446744073709551716',
    '9007199254740993',
    '1e21',
    '1e400',
    '-1e400',
  ]

  const noLimit = ([field, min, max]: (typeof numbers)[number], value: string): Refused => [
    `${field} ${value}`,
    { ...putPackage, body: `{"${field}":${value}}` },
    {
      status: 400,
      error: new RegExp(`^${field} must be a whole number from ${min} to ${max}$`),
    },
  ]

  t.test('a limit that is no whole number, or beyond its range, is 400', async t => {
    for (const limit of numbers) {
      const [, min, max] = limit
      const values = ['" "', '"100"', '100.5', '2147483648', '1e400', `${min - 1}`, `${max + 1}`]
      await refuse(t, ...values.map(value => noLimit(limit, value)))
    }
    // All number fields are parsed alike, so each value is sent in one of them.
    const values = [...noNumbers, ...noWholeNumbers, ...farNumbers]
    await refuse(
      t,
      ...values.map((value, index) => noLimit(numbers[index % numbers.length]!, value)),
    )
  })

  t.test('a limit may be the least and the most, however the number is written', async t => {
    for (const [field, min, max] of numbers) {
      for (const value of [`${min}`, `${max}`, '100', '100.0', '1e2', '1E+2', '1000e-1']) {
        const put = await send({ ...putPackage, body: `{"${field}":${value}}` })
        t.equal(put.status, 200, `${field} ${value}`)
        t.equal(put.body[field], Number(value), `${field} ${value}`)
      }
    }
  })

  t.test('sftp is true or false and nothing like it', async t => {
    for (const sftp of [0, 1, ' ', 'true', 'false', 'yes', [], [true], {}]) {
      const sent = { ...putPackage, body: { sftp } }
      await refuse(t, [shown(sftp), sent, { status: 400, error: /^sftp must be true or false$/ }])
    }
  })

  t.test('versions of PHP are a list of versions', async t => {
    const texts = [
      [['8'], 0],
      [['8.2', '8,4'], 1],
      [['latest'], 0],
      [['8.2\n'], 0],
    ] as const
    for (const [php_allowed, index] of texts) {
      const error = new RegExp(`php_allowed\\[?.?${index}\\]? must be a version of PHP`)
      const sent = { ...putPackage, body: { php_allowed } }
      await refuse(t, [shown(php_allowed), sent, { status: 400, error }])
    }
    for (const php_allowed of ['8.2', 8.2, {}, true, [8.2], [null]]) {
      const sent = { ...putPackage, body: { php_allowed } }
      await refuse(t, [shown(php_allowed), sent, { status: 400, error: /^php_allowed/ }])
    }
    for (const [php_allowed, expected] of [
      [
        ['8.2', '8.4'],
        ['8.2', '8.4'],
      ],
      [null, ['8.2', '8.4']],
      ['', ['8.2', '8.4']],
      [[], []],
    ]) {
      const put = await send({ ...putPackage, body: { php_allowed } })
      t.strictSame(put.body.php_allowed, expected, put.text)
    }
  })

  t.test('a name in the body has to be the one in the path', async t => {
    const names = [' ', ' starter', 'starter\n', 'Starter', 'other', '../starter', 'starter\0']
    for (const name of [...names, '\ud800', 5, true, [], ['starter'], {}]) {
      const sent = { ...putPackage, body: { ...starter, name } }
      await refuse(t, [shown(name), sent, { status: 400, error: /^name must be/ }])
    }
    const put = await send({ ...putPackage, body: { ...starter, name: 'starter' } })
    t.equal(put.status, 200)
  })

  t.test('one field that is wrong leaves the right ones unwritten too', async t => {
    const sent = { ...putPackage, body: { ...starter, disk_mb: 99, memory_mb: 'much' } }
    await refuse(t, ['half right', sent, { status: 400, error: /memory_mb/ }])
  })

  t.test('each field that is wrong is named', async t => {
    const body = { max_sites: -1, disk_mb: 0, memory_mb: 1, cpu_percent: 0, sftp: 'no' }
    const error = /max_sites .*disk_mb .*memory_mb .*cpu_percent .*sftp /
    await refuse(t, ['all', { ...putPackage, body }, { status: 400, error }])
  })

  t.test('a refused package is not made', async t => {
    const path = '/api/v1/packages/unmade'
    await refuse(t, [
      'new',
      { ...putPackage, path, body: { disk_mb: 0 } },
      { status: 400, error: /disk_mb/ },
    ])
    t.equal((await send({ method: 'GET', path })).status, 404)
  })
}
