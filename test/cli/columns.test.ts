import { stripVTControlCharacters } from 'node:util'
import t from 'tap'
import { fields, type Display, plain, table } from '../../src/cli/columns.ts'
import { relative } from '../../src/cli/times.ts'

// The layout of results for people: a pipe gets everything, a terminal what fits.

const now = new Date('2030-01-01T12:00:00Z')
const terminal: Display = { columns: 80, hasColors: false, now }
const id = '5d8aae8d-5cf1-4d0e-b269-ff08b4b87e37'
const columns = ['ID', 'STATE', 'ACCOUNT', 'CREATED', 'ASKED BY', 'NOTE']
const error = 'The name cannot be resolved: there is neither an address of IPv4 nor one of IPv6'
const rows = [
  [id, 'failed', 'verylongaccountname1', new Date('2030-01-01T11:55:00Z'), 'a token', error],
  ['hook:17', 'done', '不行', new Date('2030-01-01T12:00:30Z'), 'the panel', null],
]
const options = { hasRemark: true, isBad: (row: number) => row === 0 }

t.test('a pipe gets a line for each row, with all of it', async t => {
  const [head, first, second] = table(columns, rows, options)(plain).split('\n')
  t.match(head, /^ID +STATE +ACCOUNT +CREATED +ASKED BY +NOTE$/)
  t.match(first, new RegExp(`^${id} .* 2030-01-01T11:55:00.000Z +a token +${error}$`))
  t.match(second, /^hook:17 .* 2030-01-01T12:00:30.000Z +the panel +-$/)
})

t.test(
  'a terminal gets what fits: remarks below, short ids, no columns from the right',
  async t => {
    const lines = table(columns, rows, options)(terminal).trimEnd().split('\n')
    t.strictSame(lines, [
      'ID        STATE   ACCOUNT               CREATED    ASKED BY',
      '5d8aae8d  failed  verylongaccountname1  5 min ago  a token',
      '    The name cannot be resolved: there is neither an address of IPv4 nor one of',
      '    IPv6',
      'hook:17   done    不行                  in 30 s    the panel',
    ])
    const wide = table(columns, rows, options)({ ...terminal, columns: 100 })
    t.match(wide, new RegExp(`^${id} `, 'm'), 'ids are whole where there is room')
    t.notMatch(wide, /^ID.*NOTE/)
    const narrow = table(columns, rows, { ...options, minColumns: 2 })({ ...terminal, columns: 20 })
    t.match(narrow, /^ID {8}STATE\n/)
  },
)

t.test('the identifying column stays, also where it is too wide', async t => {
  const url = `https://example.com/${'x'.repeat(100)}`
  const text = table(['ID', 'URL', 'EVENTS'], [[id, url, 'all']], { minColumns: 2 })(terminal)
  t.equal(text.split('\n')[1], `5d8aae8d  ${url}`)
})

t.test(
  'bad rows are red with their remarks, others are not; numbers end below each other',
  async t => {
    const text = table(columns, rows, options)({ ...terminal, hasColors: true })
    const red = [...text.matchAll(/\u001b\[31m(.*)\u001b\[39m\n/g)].map(([, line]) => line)
    t.match(red, [/^5d8aae8d/, /^ {4}The name/, /^ {4}IPv6$/])
    t.equal(stripVTControlCharacters(text), table(columns, rows, options)(terminal))
    t.equal(
      table(
        ['N', 'X'],
        [
          [5, 'a'],
          [120, 'b'],
        ],
      )(plain),
      '  N  X\n  5  a\n120  b\n',
    )
  },
)

t.test('fields show times in full, and on a terminal how long ago', async t => {
  const layout = fields({ id, created: new Date('2030-01-01T11:55:00Z'), error })
  t.match(layout(plain), /^created  2030-01-01T11:55:00.000Z\nerror    The.* IPv6\n$/m)
  const seen = layout(terminal)
  t.match(seen, /^created  2030-01-01T11:55:00.000Z \(5 min ago\)$/m)
  t.match(seen, /\n {9}\S.*IPv6\n$/, 'a long one goes on below itself')
})

t.test('a time is shown in its largest unit', async t => {
  const at = (ms: number) => relative(new Date(now.getTime() - ms), now)
  t.strictSame(
    [at(5_000), at(3_600_000), at(200_000_000), at(-90_000)],
    [...['5.0 s ago', '60 min ago', '2 d ago', 'in 90 s']],
  )
})
