import { join } from 'node:path'
import { openPhp, type Php } from '../../billing/php.ts'
import { installIn } from '../../billing/unpack.ts'
import { addAccounts } from '../accounts.ts'
import { as, call, openPanel, type Panel } from '../panel.ts'
import { inTurns, decide, type Bench, type Result, type Row } from '../row.ts'

// Measures the WHMCS module's time on top of the API's own: for a create, and for the usage of all
// services, which goes into its table (SQLite in the place of MySQL). The floor is the bare call.

const creates = 25
const services = 10_000
const updates = 3

const measure: Row = async bench => {
  const root = join(bench.scratch, 'whmcs')
  await installIn(root, 'whmcs')
  await using php = openPhp({ operations: 'whmcs/operations.php', root })
  return [await measureCreate(bench, php), await measureUsage(bench, php)]
}

async function measureCreate(bench: Bench, php: Php): Promise<Result> {
  await using panel = await openPanel(bench, 'billing_create', { tokens: 1, accounts: 1 })
  await connect(php, panel)
  let orders = services
  const nextOrder = () => ({
    service: String(++orders),
    domain: `order${orders}.example`,
    email: `order${orders}@example.com`,
    package: 'starter',
    password: 'a password of the benchmark',
  })
  const measured = await inTurns(creates, {
    floor: () => {
      const { service, ...fields } = nextOrder()
      const body = { ...fields, username: `order${service}` }
      return timed(() => call(panel.api.port, panel.tokens[0]!, 'POST', '/accounts', body))
    },
    ours: () => run(php, 'create', nextOrder()),
  })
  const what = 'create by the module for WHMCS'
  return decide({ what, unit: 'ms', bound: { atMostMore: 30 } }, measured, ms => ms)
}

async function measureUsage(bench: Bench, php: Php): Promise<Result> {
  await using panel = await openPanel(bench, 'billing_usage', { tokens: 1, accounts: 1 })
  // It would measure the disk of accounts without files.
  await panel.worker[Symbol.asyncDispose]()
  await addAccounts(as('postgres', panel.databaseUrl), services)
  await connect(php, panel)
  await php.run('addServices', { count: services, prefix: 'many' })
  const measured = await inTurns(updates, {
    floor: () => timed(() => readUsage(panel)),
    ours: () => run(php, 'usage', {}),
  })
  const { value } = await php.run('measured')
  if (value !== services) throw new Error(`${value} services have their usage`)
  const what = `usage of ${services} services of WHMCS`
  return decide({ what, unit: 'ms', bound: { oursMax: 20_000 } }, measured, ms => ms)
}

const connect = (php: Php, { api, tokens }: Panel) =>
  php.run('connect', { host: '127.0.0.1', isSecure: false, port: api.port, token: tokens[0] })

async function run(php: Php, operation: string, values: object): Promise<number> {
  const { value, thrown, ms } = await php.run(operation, values)
  if (!value?.ok) throw new Error(`${operation}: ${value?.message ?? thrown}`)
  return ms
}

async function readUsage({ api, tokens }: Panel): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1/usage`, {
    headers: { authorization: `Bearer ${tokens[0]}` },
  })
  await response.json()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export default measure
