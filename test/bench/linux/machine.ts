import { once } from 'node:events'
import { chownSync, statSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBare } from './bare.ts'
import { certify } from './certificates.ts'
import { openOurs } from './ours.ts'
import { rebuild } from './rebuild.ts'

// One side of the rows of the Linux host, in a throw-away copy of this machine that systemd has
// started: changes accounts with a website on command, and reports how long that took.

/** Makes and changes accounts with a website on this machine. */
export type Maker = {
  make: (account: Account) => Promise<void>
  change: (verb: Verb, account: Account) => Promise<void>
  /** Makes accounts before the measurement. */
  makeOthers: (accounts: Account[]) => Promise<void>
}

export type Verb = 'suspend' | 'unsuspend' | 'terminate'
export type Account = { username: string; domain: string; uid: number; password: string }

export type Asked =
  | { others: number }
  | { creates: number; inFlight: number }
  /** Belongs to the account that was made last. */
  | { change: Verb }
  | { rebuild: 'floor' | 'ours'; visited: number }
export type Reported = { ms: number }

const shown = /^200 42$/
const visible = { suspend: /^503 /, unsuspend: shown, terminate: /^421 / }

const [kind = ''] = process.argv.slice(2)
const maker = await (kind === 'ours' ? openOurs() : openBare(kind))
let made = 0
process.stdout.write('"ready"\n')
for await (const line of createInterface(process.stdin)) {
  const asked = JSON.parse(line) as Asked
  process.stdout.write(`${JSON.stringify({ ms: await execute(asked) })}\n`)
}
process.exit(0)

async function execute(asked: Asked): Promise<number> {
  if ('rebuild' in asked) {
    for (let count = 1; count <= asked.visited; count++) await seen(account(made - count).domain)
    return rebuild(asked.rebuild, made)
  }
  if ('change' in asked) return change(asked.change, account(made - 1))
  const begunAt = performance.now()
  if ('others' in asked) {
    const accounts = Array.from({ length: asked.others }, next)
    await maker.makeOthers(accounts)
    certify(accounts.map(({ domain }) => domain))
  } else {
    const accounts = Array.from({ length: asked.creates }, next)
    const work = async () => {
      for (let one = accounts.pop(); one !== undefined; one = accounts.pop()) await createOne(one)
    }
    await Promise.all(Array.from({ length: asked.inFlight }, work))
  }
  return performance.now() - begunAt
}

function next(): Account {
  return account(made++)
}

function account(index: number): Account {
  const uid = 20_000 + index
  const username = `user${uid}`
  return { username, domain: `${username}.example`, uid, password: 'a password of the benchmark' }
}

// From the call until the account's own PHP answers.
async function createOne(one: Account): Promise<void> {
  await maker.make(one)
  const { username, domain } = one
  const folder = `/home/${username}/sites/${domain}/public`
  const { uid } = statSync(folder)
  writeFileSync(`${folder}/answer.php`, '<?php echo 6 * 7;')
  chownSync(`${folder}/answer.php`, uid, uid)
  await seen(domain)
}

// From the call until a visitor sees it; the next one begins when this has ended.
async function change(verb: Verb, one: Account): Promise<number> {
  const begunAt = performance.now()
  const ended = maker.change(verb, one)
  ended.catch(() => undefined)
  await Promise.race([seen(one.domain, visible[verb]), ended.then(() => sleep(10_000))])
  const ms = performance.now() - begunAt
  await ended
  return ms
}

async function seen(domain: string, looked = shown): Promise<void> {
  while (!looked.test(await visit(domain))) await sleep(1)
}

async function visit(domain: string): Promise<string> {
  const asked = request({
    host: '127.0.0.1',
    path: '/answer.php',
    headers: { host: domain },
    agent: false,
  })
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of response) body += String(chunk)
  return `${response.statusCode} ${body}`
}
