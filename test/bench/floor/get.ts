import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import pg from 'pg'
import polka from 'polka'

// The floor of a GET of one account: one prepared query, without authentication, count and limit.

const [connectionString] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 16 })

// The server builds the text, which is faster than rows and types here.
const query = (username: string) => ({
  name: 'get',
  text: `select json_build_object(
           'username', a.username,
           'email', a.email,
           'package', p.name,
           'state', a.state,
           'domain', s.sites -> 0 ->> 'domain',
           'sites', s.sites,
           'suspend_reason', a.suspend_reason,
           'warnings', jsonb_path_query_array(a.warnings, '$[*].sentence'),
           'created_at', a.created_at,
           'suspended_at', a.suspended_at)::text as account
         from panel.accounts a
         join panel.packages p on p.id = a.package_id
         cross join lateral (
           select json_agg(json_build_object('domain', domain, 'ssl', ssl) order by id) as sites
           from panel.sites
           where account_id = a.id) s
         where a.username = $1 and a.state <> 'terminated'`,
  values: [username],
})

const app = polka()
app.add('GET', '/api/v1/accounts/:username', async (request, response) => {
  const { rows } = await pool.query<{ account: string }>(query(request.params['username']!))
  const body = rows[0]!.account
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})

const server: Server = createServer(app.handler)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(`${JSON.stringify({ message: 'floor ready', address: server.address() })}\n`)
process.on('SIGTERM', () => process.exit(0))
