import type { Test } from 'tap'
import type { DebianMachine } from './debian-machine.ts'
import { address, type Client } from './installed.ts'

type Panel = { machine: DebianMachine; client: Client }

export type Seen<T> = {
  result: T
  created: string[]
  slowestReadMs: number
  slowestWriteMs: number
}

/**
 * Has clients read and write while something is done: each repeats a write with its key until it
 * has an answer, as billing systems do.
 *
 * @param prefix of the accounts that are created
 */
export async function underLoad<T>(
  t: Test,
  { machine, client }: Panel,
  work: () => Promise<T>,
  prefix = 'load',
): Promise<Seen<T>> {
  const created: string[] = []
  let [isOver, slowestReadMs, slowestWriteMs] = [false, 0, 0]
  const timed = async (act: () => Promise<void>): Promise<number> => {
    const began = performance.now()
    await act()
    return Math.round(performance.now() - began)
  }
  const read = async () => {
    while (!isOver) {
      const ms = await timed(async () => {
        t.equal((await client('GET', '/accounts')).status, 200, 'every read is answered')
      })
      slowestReadMs = Math.max(slowestReadMs, ms)
    }
  }
  const token = await tokenOf(machine)
  const write = async () => {
    for (let number = 1; !isOver; number += 1) {
      const username = `${prefix}${number}`
      const ms = await timed(() => createUntilDone(t, machine, token, username))
      slowestWriteMs = Math.max(slowestWriteMs, ms)
      created.push(username)
    }
  }
  const loops = [read(), write()]
  const result = await work()
  isOver = true
  await Promise.all(loops)
  return { result, created, slowestReadMs, slowestWriteMs }
}

async function tokenOf(machine: DebianMachine): Promise<string> {
  const made = await machine.must('panel', 'token', 'create', '--owner', 'admin', '--json')
  return (JSON.parse(made) as { token: string }).token
}

// CURLE_COULDNT_CONNECT (curl(1), exit codes).
const connectFailed = 7

async function createUntilDone(
  t: Test,
  machine: DebianMachine,
  token: string,
  username: string,
): Promise<void> {
  const body = {
    username,
    password: 'correct horse battery',
    email: 'a@example.com',
    package: 'starter',
  }
  const headers = [
    `Authorization: Bearer ${token}`,
    `Idempotency-Key: load-${username}`,
    'Content-Type: application/json',
  ]
  for (let attempts = 1; attempts <= 50; attempts += 1) {
    const { code, stdout } = await machine.reach([
      ...['curl', '-sk', '--max-time', '70', '--resolve', 'panel.example.com:8443:127.0.0.1'],
      ...['-X', 'POST', '-o', '/dev/null', '-w', '%{http_code}', '--data', JSON.stringify(body)],
      ...[...headers.flatMap(header => ['-H', header]), `${address}/api/v1/accounts`],
    ])
    t.not(code, connectFailed, 'no connection is refused')
    if (stdout === '201') return
    // A client with a «come again» repeats its request; no other failure is allowed.
    t.match(stdout, /^(409|503|504|000)$/, `${username}, try ${attempts}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  t.fail(`${username} was never created`)
}
