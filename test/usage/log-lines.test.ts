import t from 'tap'
import { sumLines } from '../../src/host/usage/log-lines.ts'

// A line of nginx's access log becomes a line of its website's.

const at = '1795732443.042 7 1500 345'
const line = (status: number, request = 'GET / HTTP/1.1', rest = '"-" "a browser" "0.004"') =>
  `${at} ${status} 1234 192.0.2.7 "-" "${request}" ${rest}`
const only = (text: string) => {
  const { sites, skipped, sums } = sumLines(text)
  return { ...sites[0], skipped, bytes: sums[0]?.bytes }
}

t.test('the access log has the combined format', async t => {
  t.strictSame(only(line(200)), {
    site: '7',
    access:
      '192.0.2.7 - - [26/Nov/2026:22:34:03 +0000] "GET / HTTP/1.1" 200 1234 "-" "a browser"\n',
    errors: '',
    skipped: 0,
    bytes: '1500',
  })
  const escaped = String.raw`\x0D\x0AGET \x22`
  const hostile = `${at} 200 9 2001:db8::7 "a b" "GET /${escaped} HTTP/2.0" "${escaped}" "-" "-"`
  t.match(only(hostile), {
    access: `2001:db8::7 - a_b [26/Nov/2026:22:34:03 +0000] "GET /${escaped} HTTP/2.0" 200 9 `,
  })
})

t.test('the error log has failed requests and their causes', async t => {
  const from = '"https://a.example/" "-" "-"'
  t.equal(
    only(line(404, 'GET /x HTTP/1.1', from)).errors,
    '2026/11/26 22:34:03 [error] 404 192.0.2.7 "GET /x HTTP/1.1": no file that the web ' +
      'server may read, and no application, has this path, referrer: "https://a.example/"\n',
  )
  for (const [status, cause] of [
    [403, /may not read/],
    [413, /larger/],
    [502, /PHP failed/],
    [503, /suspended/],
    [504, /longer than its package allows/],
    [507, /web server failed/],
  ] as const) {
    t.match(only(line(status, 'GET / HTTP/1.1', '"-" "-" "-"')).errors, cause)
    t.match(only(line(status)).errors, status === 507 ? /a script/ : /a script answered so/)
  }
  for (const status of [200, 206, 301, 304, 400, 401, 499]) t.equal(only(line(status)).errors, '')
})

t.test('bytes count whatever the rest of a line is', async t => {
  for (const rest of ['', ' nonsense', ' 12 192.0.2.7 "', ' 1 x "-" "-" "-" "-" "-"']) {
    t.match(sumLines(`${at} 200${rest}`), { skipped: 0, sites: [], sums: [{ bytes: '1500' }] })
  }
  t.match(sumLines('nonsense'), { skipped: 1, sites: [], sums: [] })
})

t.test('lines are sorted by website, in their order', async t => {
  const other = (path: string) => line(404, `GET ${path} HTTP/1.1`).replace(' 7 ', ' 8 ')
  const { sites } = sumLines([line(200), other('/1'), line(200), other('/2')].join('\n'))
  t.strictSame(
    sites.map(({ site, access, errors }) => [
      site,
      access.split('\n').length - 1,
      [...errors.matchAll(/GET (\S+)/g)].map(([, path]) => path),
    ]),
    [
      ['7', 2, []],
      ['8', 2, ['/1', '/2']],
    ],
  )
})
