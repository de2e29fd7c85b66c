import type { Pool } from '../db.ts'
import { PanelError, statusByCode } from '../errors.ts'
import type { Handler } from '../http/handle.ts'
import { readPreference } from '../http/preference.ts'
import { fieldHeader, json, reasonHeader, refusal, replyTo, type Reply } from '../http/reply.ts'
import { requireJson, type ApiRequest } from '../http/request.ts'
import { operationNames } from '../model/operations/operation-names.ts'
import type { Answer } from '../model/operations/operations.ts'
import * as requestJobs from '../model/jobs/request-jobs.ts'
import type { Write } from '../model/operations/writes.ts'
import type { Execute, Outcome } from '../requests/execute.ts'

// The length of names is limited, so a legitimate target is far shorter.
const longestTarget = 500

/** Returns the handler of a write, which converts its outcome to HTTP. */
export const writeWith =
  <Desired>(
    pool: Pool,
    execute: Execute,
    write: Write<Desired>,
    parse: (request: ApiRequest) => Desired,
  ): Handler =>
  async request => {
    const { caller, keys, method, target, rawBody } = request
    requireJson(request)
    const { waitMs, isAsync, applied } = readPreference(request.headers['prefer'])
    const outcome = await execute(write, {
      caller,
      keys,
      key: readKey(request),
      fingerprint: keys.fingerprint(`${method}\n${target}\n`, rawBody),
      words: `${method} ${target.slice(0, longestTarget)}`,
      parse: () => parse(request),
      waitMs,
    })
    if (outcome.is === 'in progress' && isAsync) {
      const job = await requestJobs.get(pool, caller, outcome.id, body => body)
      const location = `/api/v1/jobs/${outcome.id}`
      return json(202, job, { location, 'preference-applied': applied! })
    }
    const reply = toReply(outcome)
    // A refusal is immediate, whatever the caller prefers.
    const isFollowed =
      operationNames[write.name].lane !== 'none' &&
      !reply.headers['idempotent-replayed'] &&
      (reply.status < 400 || reply.status === statusByCode.timed_out)
    if (!isFollowed || applied === undefined) return reply
    return { ...reply, headers: { ...reply.headers, 'preference-applied': applied } }
  }

function toReply(outcome: Outcome): Reply {
  switch (outcome.is) {
    case 'answered': {
      const { headers, ...reply } = answered(outcome.answer)
      const replayed = outcome.isReplay ? { 'idempotent-replayed': 'true' } : {}
      return { ...reply, headers: { ...headers, ...replayed } }
    }
    case 'failed':
      return replyTo(requestJobs.failureOf(outcome), {})
    case 'in progress':
      return outcome.isStopping
        ? refusal('unavailable', 'The panel is restarting; repeat the same request')
        : refusal('timed_out', 'The work continues; repeat the same request for its answer')
    case 'mismatch':
      return refusal('idempotency_key_reused', 'This Idempotency-Key belongs to another request')
    case 'busy':
      return refusal(
        'busy',
        'The first request with this Idempotency-Key is still running; repeat it later',
      )
  }
}

const answered = ({ status, body, location, reason, field }: Answer): Reply => ({
  status,
  body,
  headers: {
    'content-type': 'application/json',
    ...(location === null ? {} : { location }),
    ...(reason === null ? {} : { [reasonHeader]: reason }),
    ...(field === null ? {} : { [fieldHeader]: field }),
  },
})

function readKey({ headers }: ApiRequest): string | undefined {
  const sent = headers['idempotency-key']
  if (sent === undefined) return undefined
  const [key = ''] = sent
  if (sent.length > 1 || !/^[ -~]{1,255}$/.test(key)) {
    throw new PanelError(
      'invalid',
      'Idempotency-Key must be sent once, as 1 to 255 printable ASCII characters',
    )
  }
  return key
}
