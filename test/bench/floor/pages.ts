import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import pg from 'pg'
import polka from 'polka'
import { getOverview } from '../../../src/model/accounts/account-overview.ts'
import { rootCaller } from '../../../src/model/signing-in/callers.ts'

// The floor of pages: what they show, as JSON, by the same prepared queries, without a session and
// a template.

const [connectionString] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 16 })
const root = await rootCaller(pool)

const listed = {
  name: 'accounts',
  text: `
    select a.username, a.state, a.email, p.name as package, o.name as seller, w.domain, w.sites,
      p.disk_mb, ceil(coalesce(d.bytes, 0)::float8 / 1048576) as used_mb, a.created_at,
      (select count(*)::int from panel.accounts where state <> 'terminated') as total
    from (
      select id
      from panel.accounts where state <> 'terminated'
      order by username collate "C"
      limit 50) shown
    join panel.accounts a on a.id = shown.id
    join panel.packages p on p.id = a.package_id
    left join panel.operators o on o.seller_id = a.seller_id and o.role = 'reseller'
    left join panel.disk_usage d on d.account_id = a.id
    cross join lateral (
      select (array_agg(w.domain order by w.id))[1] as domain, count(*)::int as sites
      from panel.sites w where w.account_id = a.id) w
    order by a.username collate "C"`,
}

const found = (part: string) => ({
  name: 'search',
  text: `
    select username from panel.accounts
    where state <> 'terminated' and (username like $1 or lower(email) like $1
      or id in (select account_id from panel.sites where domain like $1))
    limit 2`,
  values: [`%${part}%`],
})

function send(response: ServerResponse, rows: object): void {
  const body = Buffer.from(JSON.stringify(rows))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}

const app = polka()
app.add('GET', '/accounts', async (_request, response) => {
  const { rows } = await pool.query<object>(listed)
  send(response, rows)
})
// The very statement of the page: one that asks for less, as without databases and months of disk,
// would be the floor of another page.
app.add('GET', '/accounts/:username', async (request, response) => {
  send(response, await getOverview(pool, root, request.params['username']!))
})
app.add('GET', '/search', async (request, response) => {
  const { searchParams } = new URL(request.url ?? '', 'http://floor')
  const { rows } = await pool.query<object>(found(searchParams.get('q') ?? ''))
  send(response, rows)
})

const server: Server = createServer(app.handler)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`${JSON.stringify({ message: 'floor ready', address: server.address() })}\n`)
process.on('SIGTERM', () => process.exit(0))
