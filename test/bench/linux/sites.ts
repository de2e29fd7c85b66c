import { createInterface } from 'node:readline'
import { openConnection } from '../load/connection.ts'
import { openMemory, type AskedOfMemory } from './memory.ts'
import { openOurs } from './ours.ts'
import { openPlain, plainPort } from './plain.ts'
import { openWordPress } from './wordpress.ts'

// The same websites served by the panel and by a plain nginx and PHP that an administrator has
// configured by hand, on one throw-away copy of this machine: under load, when a setting changes,
// and in memory while they have no visitors.

type WebServer = 'floor' | 'ours'
export type AskedOfSites =
  | { web: WebServer; load: keyof typeof loads }
  | { web: WebServer; change: number }
  | { memory: AskedOfMemory }

/** Requests a second and the 99th percentile in ms; ms until a change is seen; or MB. */
export type ReportedOfSites = { perSecond: number; p99: number } | { ms: number } | { mb: number }

const [shop, blog] = ['user20000.example', 'user20001.example']

/** The requests of visitors; WordPress is at `/` of one website and at `/blog` of another. */
const loads = {
  static: { host: shop, path: '/style.css', count: 4_000, atOnce: 8 },
  wordpress: { host: shop, path: '/hello-world/', count: 100, atOnce: 4 },
  blog: { host: blog, path: '/blog/hello-world/', count: 100, atOnce: 4 },
}

const { make, call } = await openOurs({ memory_mb: 1_024, cpu_percent: 200 })
const accountOf = (uid: number) => ({
  ...{ uid, username: `user${uid}`, domain: `user${uid}.example` },
  password: 'a password of the benchmark',
})
await make(accountOf(20_000))
await make(accountOf(20_001))
const memory = await openMemory(index => make(accountOf(20_002 + index)))
const press = await openWordPress()
await press.install({ username: 'user20000', domain: shop, below: '' })
await press.install({ username: 'user20001', domain: blog, below: '/blog' })
const plain = await openPlain([
  { username: 'user20000', domain: shop, front: '' },
  { username: 'user20001', domain: blog, front: '/blog' },
])
process.stdout.write('"ready"\n')
for await (const line of createInterface(process.stdin)) {
  const answer = await execute(JSON.parse(line) as AskedOfSites)
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
press.stop()
plain.stop()
process.exit(0)

async function execute(asked: AskedOfSites): Promise<ReportedOfSites> {
  if ('memory' in asked) return { mb: await memory.measure(asked.memory) }
  const port = asked.web === 'ours' ? 80 : plainPort
  return 'load' in asked ? load(port, loads[asked.load]) : change(asked.web, port, asked.change)
}

async function load(
  port: number,
  { host, path, count, atOnce }: (typeof loads)[keyof typeof loads],
): Promise<ReportedOfSites> {
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\n\r\n`
  const times: number[] = []
  let sent = 0
  const begunAt = performance.now()
  const visit = async () => {
    const { send, close } = await openConnection(port)
    while (sent < count) {
      sent++
      const askedAt = performance.now()
      const status = await send(request)
      times.push(performance.now() - askedAt)
      if (status !== 200) throw new Error(`${host}${path}: ${status}`)
    }
    close()
  }
  await Promise.all(Array.from({ length: atOnce }, visit))
  const seconds = (performance.now() - begunAt) / 1_000
  times.sort((one, other) => one - other)
  return { perSecond: count / seconds, p99: times[Math.ceil(count * 0.99) - 1]! }
}

// Another redirect: until the caller has its answer, and a visitor who asks all the time sees it.
async function change(web: WebServer, port: number, number: number): Promise<ReportedOfSites> {
  const path = `/${web}-${number}`
  const begunAt = performance.now()
  const ended =
    web === 'ours'
      ? call('PATCH', `/accounts/user20000/sites/${shop}`, {
          redirects: { [path]: { to: 'https://new.example/', code: 301 } },
        })
      : plain.redirect(shop, path)
  await Promise.all([ended, seen(port, `GET ${path} HTTP/1.1\r\nHost: ${shop}\r\n\r\n`)])
  return { ms: performance.now() - begunAt }
}

// On a new connection each time, as nginx's former workers keep theirs; they break off some.
async function seen(port: number, request: string): Promise<void> {
  for (let status = 0; status !== 301;) {
    const { send, close } = await openConnection(port)
    status = await send(request).catch(() => 0)
    close()
  }
}
