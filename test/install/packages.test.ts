import t from 'tap'
import { readStatus } from '../../src/install/packages.ts'

// Reads the progress of apt and dpkg among their other output.

for (const [line, found] of [
  ['dlstatus:1:20.5:Retrieving file 1 of 10 (3s remaining)', 20.5],
  ['dlstatus:10:100:Retrieving file 10 of 10', 100],
] as const) {
  t.test(line, async t => {
    t.strictSame(readStatus(line), { percent: found, doing: 'Downloading packages' })
  })
}

for (const [line, found] of [
  [
    'pmstatus:php8.2-fpm:42.8571:Unpacking php8.2-fpm (amd64)',
    [42.8571, 'Unpacking php8.2-fpm (amd64)'],
  ],
  ['pmstatus:libc6:amd64:7:Preparing libc6:amd64', [7, 'Preparing libc6:amd64']],
  ['pmstatus:dpkg-exec:0.0000:Running dpkg', [0, 'Running dpkg']],
] as const) {
  t.test(line, async t => {
    const [percent, doing] = found
    t.strictSame(readStatus(line), { percent, doing })
  })
}

for (const line of [
  '',
  'Unpacking php8.2-fpm (8.2.7-1) ...',
  'pmstatus:',
  'pmstatus:a:b',
  'pmstatus:a:1000:b',
  'pmerror:php8.2-fpm:42:it has failed',
  'pmconffile:/etc/nginx/nginx.conf:42:x',
  ' dlstatus:1:20:x',
]) {
  t.test(`no status: ${JSON.stringify(line)}`, async t => t.equal(readStatus(line), undefined))
}
