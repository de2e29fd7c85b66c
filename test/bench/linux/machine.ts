import { once } from 'node:events'
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBare } from './bare.ts'
import { openOurs } from './ours.ts'
import { rebuild } from './rebuild.ts'

// One side of the rows of the Linux host, in a throw-away copy of this machine: makes accounts with
// a website on command, and reports how long that took.

/** What makes accounts with a website on this machine. */
export type Maker = {
  make: (account: Account) => Promise<void>
  /** Makes accounts before the measurement. */
  makeOthers: (accounts: Account[]) => Promise<void>
}

export type Account = { username: string; domain: string; uid: number; password: string }

export type Asked =
  { others: number } | { creates: number; inFlight: number } | { rebuild: 'floor' | 'ours' }
export type Told = { ms: number; reloads: number }

const errorLog = '/var/log/nginx/error.log'
const config = '/etc/nginx/nginx.conf'
const text = readFileSync(config, 'utf8').replace(/^error_log .*$/m, '')
writeFileSync(config, `error_log ${errorLog} notice;\n${text}`)

const [kind = ''] = process.argv.slice(2)
const maker = await (kind === 'ours' ? openOurs() : openBare(kind))
let made = 0
process.stdout.write('"ready"\n')
for await (const line of createInterface(process.stdin)) {
  const asked = JSON.parse(line) as Asked
  process.stdout.write(`${JSON.stringify(await carryOut(asked))}\n`)
}
process.exit(0)

async function carryOut(asked: Asked): Promise<Told> {
  if ('rebuild' in asked) return { ms: await rebuild(asked.rebuild, made), reloads: 1 }
  const [reloads, begunAt] = [reloadsSoFar(), performance.now()]
  if ('others' in asked) {
    await maker.makeOthers(Array.from({ length: asked.others }, next))
  } else {
    const accounts = Array.from({ length: asked.creates }, next)
    const work = async () => {
      for (let account = accounts.pop(); account !== undefined; account = accounts.pop()) {
        await createOne(account)
      }
    }
    await Promise.all(Array.from({ length: asked.inFlight }, work))
  }
  return { ms: performance.now() - begunAt, reloads: reloadsSoFar() - reloads }
}

function next(): Account {
  const uid = 20_000 + made++
  const username = `user${uid}`
  return { username, domain: `${username}.example`, uid, password: 'a password of the benchmark' }
}

// From the call until the account's own PHP answers.
async function createOne(account: Account): Promise<void> {
  await maker.make(account)
  const { username, domain } = account
  const folder = `/home/${username}/sites/${domain}/public`
  const { uid } = statSync(folder)
  writeFileSync(`${folder}/answer.php`, '<?php echo 6 * 7;')
  chownSync(`${folder}/answer.php`, uid, uid)
  while ((await visit(domain)) !== '200 42') await sleep(1)
}

async function visit(domain: string): Promise<string> {
  const asked = request({
    host: '127.0.0.1',
    path: '/answer.php',
    headers: { host: domain },
    agent: false,
  })
  asked.end()
  try {
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    let body = ''
    for await (const chunk of response) body += String(chunk)
    return `${response.statusCode} ${body}`
  } catch {
    return '' // One of nginx's old processes closed the connection.
  }
}

function reloadsSoFar(): number {
  return readFileSync(errorLog, 'utf8').split('signal 1 (SIGHUP) received').length - 1
}
