import type pg from 'pg'
import type { SiteLog } from '../../src/model/sites/site-logs.ts'
import type { SiteStatistics } from '../../src/model/sites/site-statistics.ts'

// The logs of a website and its statistics, as the worker has read them.

const rows = (...found: [name: string, hits: number][]) =>
  found.map(([name, hits]) => ({
    ...{ name, hits },
    ...{ visitors: Math.ceil(hits / 4), bytes: hits * 17_300 },
  }))

const days = Array.from({ length: 30 }, (_, index) => {
  const visitors = 40 + ((index * 37) % 60) + index * 3
  const date = new Date(Date.UTC(2026, 9, 28 + index)).toISOString().slice(0, 10)
  return { date, visitors, hits: visitors * 9, bytes: visitors * 160_000 }
})

const sum = (key: 'visitors' | 'hits' | 'bytes') => days.reduce((total, day) => total + day[key], 0)

const statistics: SiteStatistics = {
  ...{ hits: sum('hits'), visitors: sum('visitors'), bytes: sum('bytes'), days },
  pages: rows(['/', 9_204], ['/shop/', 4_120], ['/blog/how-we-bake-our-bread/', 1_830], ['/a', 12]),
  files: rows(['/wp-content/uploads/2026/11/oven.avif', 3_020], ['/style.css', 2_950]),
  missing: rows(['/wp-login.php', 611], ['/.env', 402], ['/favicon.ico', 85]),
  referrers: rows(['www.google.com', 1_204], ['news.example', 96]),
  browsers: rows(['Chrome', 8_100], ['Firefox', 3_400], ['Crawlers', 2_800], ['Safari', 1_900]),
  systems: rows(['Android', 7_200], ['Windows', 5_100], ['Linux', 2_300]),
  statuses: rows(['200 OK', 14_800], ['404 Not Found', 1_098]),
}

const request = (path: string, status: number, second: number) =>
  `192.0.2.${second} - - [26/Nov/2026:22:14:${second} +0000] "GET ${path} HTTP/2.0" ` +
  `${status} 5120 ` +
  '"https://alice.example/" "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0"'

const log: SiteLog = {
  access: [request('/', 200, 10), request('/shop/', 200, 12), request('/wp-login.php', 404, 31)],
  errors: ['2026/11/26 22:14:31 [error] 404 192.0.2.31 "GET /wp-login.php HTTP/2.0": no file'],
}

export async function stageLogs(pool: pg.Pool): Promise<void> {
  for (const [kind, content] of Object.entries({ log, statistics })) {
    await pool.query(
      `insert into panel.site_readings (site_id, kind, asked_at, read_at, content)
       select id, $2, now() - interval '2 minutes', now() - interval '1 minute', $1
       from panel.sites where domain = 'alice.example'`,
      [JSON.stringify(content), kind],
    )
  }
}
