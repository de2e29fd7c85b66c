import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as send, type IncomingMessage } from 'node:http'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, createConnection } from 'mysql2/promise'
import { openPool } from '../../../src/db.ts'
import { measureDatabases } from '../../../src/host/databases/sizes.ts'
import { rightsOf } from '../../../src/host/databases/statements.ts'
import { openMachine } from '../../../src/host/machine.ts'
import { hashForMariaDb } from '../../../src/model/databases/database-passwords.ts'
import { openAccountSession } from '../../../src/model/signing-in/sessions.ts'
import { call, openPanel, type Panel } from '../panel.ts'
import { inTurns, decide, median, type Row } from '../row.ts'

// A customer makes a database with its user by the page, on the sandbox's own MariaDB, against the
// bare statements on it and a suspension or its end, which is the frame without them. And what 500
// databases take of the disk, against what MariaDB says of its tables.

const rounds = 5
const each = 30
const many = { databases: 500, tables: 5 }

const measure: Row = async bench => {
  const name = 'databases'
  await using panel = await openPanel(bench, name, { tokens: 1, accounts: each + 1 })
  await call(panel.api.port, panel.tokens[0]!, 'PUT', '/packages/starter', { max_databases: 10 })
  const root = join(bench.memory, name, 'host')
  const [paused = '', ...makers] = panel.accounts
  const customers = await Promise.all(makers.map(username => signIn(panel, username)))
  await customers[0]!.make('first')
  const mariadb = await untilUp(join(root, 'run/mysqld/mysqld.sock'))
  try {
    let round = 0
    const created = await inTurns(rounds, {
      async floor() {
        round += 1
        const bare = await timed(index => makeBare(mariadb, `bare${round}_n${index}`))
        const path = `/accounts/${paused}`
        const frame = await timed(index =>
          call(
            panel.api.port,
            panel.tokens[0]!,
            'POST',
            `${path}/${index % 2 ? 'unsuspend' : 'suspend'}`,
            {},
          ),
        )
        return bare + frame
      },
      ours: () => timed(index => customers[index]!.make(`n${round}`)),
    })
    const names = await makeMany(mariadb)
    const machine = openMachine({ kind: 'sandbox', root })
    const looked = await inTurns(rounds, {
      floor: () => timedOnce(() => mariadb.query(bySchema)),
      ours: () => timedOnce(() => measureDatabases(machine, names)),
    })
    return [
      decide(
        { what: 'create a database, by its page', unit: 'ms (p50)', bound: { atMost: 1.5 } },
        created,
        ms => ms,
      ),
      decide(
        { what: `sizes of ${many.databases} databases`, unit: 'ms', bound: { oursMax: 100 } },
        looked,
        ms => ms,
      ),
    ]
  } finally {
    mariadb.destroy()
  }
}

// The first database has its MariaDB made, for longer than a page waits.
async function untilUp(socketPath: string): Promise<Connection> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await createConnection({ socketPath, user: userInfo().username })
    } catch (error) {
      if (attempts > 600) throw error
      await sleep(100)
    }
  }
}

async function timedOnce(work: () => Promise<unknown>): Promise<number> {
  const begunAt = performance.now()
  await work()
  return performance.now() - begunAt
}

/** The median of some, one after the other. */
async function timed(work: (index: number) => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let index = 0; index < each; index++) all.push(await timedOnce(() => work(index)))
  return median(all)
}

async function makeBare(mariadb: Connection, name: string): Promise<void> {
  const user = `'${name}'@'localhost'`
  const hash = hashForMariaDb('a password of the benchmark')
  await mariadb.query(`CREATE DATABASE \`${name}\` CHARACTER SET utf8mb4`)
  await mariadb.query(`CREATE USER ${user} IDENTIFIED VIA mysql_native_password USING '${hash}'`)
  await mariadb.query(`GRANT ${rightsOf.all.join(', ')} ON \`${name}\`.* TO ${user}`)
}

async function makeMany(mariadb: Connection): Promise<string[]> {
  const names = Array.from({ length: many.databases }, (_, index) => `many_n${index}`)
  for (const name of names) {
    await mariadb.query(`CREATE DATABASE ${name}`)
    for (let table = 0; table < many.tables; table++) {
      await mariadb.query(`CREATE TABLE ${name}.t${table} (a INT)`)
    }
  }
  return names
}

const bySchema = `SELECT SUBSTRING_INDEX(NAME, '/', 1), SUM(FILE_SIZE)
  FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME LIKE '%/%' GROUP BY 1`

const agent = new Agent({ keepAlive: true })

/** A customer in a browser. */
async function signIn({ databaseUrl, api }: Panel, username: string) {
  const pool = openPool(databaseUrl, 'panel_owner', 1)
  const { rows } = await pool.query<{ id: string }>(
    'select id from panel.accounts where username = $1',
    [username],
  )
  const visitor = { address: '127.0.0.1', browser: undefined }
  const cookie = `panel-account=${await openAccountSession(pool, rows[0]!.id, visitor)}`
  await pool.end()
  const folder = `http://127.0.0.1:${api.port}`
  // The panel was started on any port: its own address has to be read.
  const origin = 'http://127.0.0.1:0'
  const ask = async (path: string, body?: string) => {
    const type = 'application/x-www-form-urlencoded'
    const headers = { cookie, origin, 'sec-fetch-site': 'same-origin', 'content-type': type }
    const method = body === undefined ? 'GET' : 'POST'
    const sent = send(`${folder}${path}`, { agent, method, headers })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of answer) text += String(chunk)
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
    return text
  }
  const path = '/account/databases/new'
  const token = /name="token" value="([^"]+)"/.exec(await ask(path))?.[1] ?? ''
  return {
    make: (suffix: string) =>
      ask(path, new URLSearchParams({ token, key: randomUUID(), suffix }).toString()),
  }
}

export default measure
