import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { alice } from '../support/panel.ts'
import { run, type LinuxPanel } from './machine.ts'

// Answers hold for cron, which begins its jobs with the minute: no job of an account begins after
// the answer of its suspend, and those of an account that was active before the minute do.

const minuteMs = 60_000
/** When suspends are asked for: cron looks at its tables some time after the minute begins. */
const suspendsAtMs = [-500, 500, 900, 1_000, 1_100, 1_200, 1_300, 1_400, 1_600, 1_800]
const unsuspendsAtMs = [-2_000, -1_000]
// cron begins all jobs of a minute one after the other.
const timeoutMs = 4_000

type Answered = { username: string; verb: 'suspend' | 'unsuspend'; at: number }

/** Shows it at the next minute, on a panel whose worker is running and with a cron that is. */
export async function showMinute(t: Test, panel: LinuxPanel): Promise<void> {
  const act = async (username: string, verb: Answered['verb']): Promise<Answered> => {
    const path = `/api/v1/accounts/${username}/${verb}`
    const { status, text } = await panel.call('POST', path, { body: {} })
    if (status !== 200) throw new Error(text)
    return { username, verb, at: Date.now() }
  }
  const [deleting, coming] = [suspendsAtMs, unsuspendsAtMs].map((times, kind) =>
    times.map((atMs, index) => ({ username: `cron${kind}x${index}`, atMs })),
  ) as [Turn[], Turn[]]
  for (const { username } of [...deleting, ...coming]) await createWithJob(panel, username)
  for (const { username } of coming) await act(username, 'suspend')

  const begins = Math.ceil((Date.now() + 5_000) / minuteMs) * minuteMs
  const inTurn = (turns: Turn[], verb: Answered['verb']) =>
    turns.map(async ({ username, atMs }) => {
      await sleep(begins + atMs - Date.now())
      return act(username, verb)
    })
  const answered = await Promise.all([
    ...inTurn(deleting, 'suspend'),
    ...inTurn(coming, 'unsuspend'),
  ])
  await sleep(begins + timeoutMs - Date.now())
  for (const { username, verb, at } of answered) {
    const times = begunAt(username)
    const begun = times.map(time => time - begins)
    const output = `${username}: answered at ${at - begins} ms, begun at ${begun}`
    t.comment(`cron, ${verb}: ${output}`)
    if (verb === 'suspend')
      t.strictSame(
        times.filter(time => time > at),
        [],
        output,
      )
    else if (at < begins) t.equal(times.filter(time => time > begins).length, 1, output)
  }
}

type Turn = { username: string; atMs: number }

/** An account with a job that notes when it begins. */
async function createWithJob(panel: LinuxPanel, username: string): Promise<void> {
  const body = { ...alice, username, domain: `${username}.example` }
  const { status, text } = await panel.call('POST', '/api/v1/accounts', { body })
  if (status !== 201) throw new Error(text)
  const job = `* * * * * date +\\%s\\%3N >>/home/${username}/files/begun\n`
  const { code, stderr } = await run('crontab', ['-u', username, '-'], job)
  if (code !== 0) throw new Error(stderr)
}

/** When the job of the account has begun. */
function begunAt(username: string): number[] {
  const path = `/home/${username}/files/begun`
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : []
}
