import type { Concerns, FullAccount } from '../model/concerns.ts'
import type { Tone } from './words.ts'
import { count, date, duration, shortId } from './words.ts'

/** A line of «Needs a look»; by its key the page knows it again. */
export type Concern = {
  key: string
  tone: Tone
  word: string
  what: string
  detail: string
  address: string
}

/** What there is to look at, in words, the worst first. */
export const concernsOf = (of: Concerns | undefined, full: FullAccount[]): Concern[] => [
  ...(of?.services ?? []).map((detail): Concern => {
    const key = `service ${detail}`
    return { key, tone: 'bad', word: 'down', what: 'A service', detail, address: '/server' }
  }),
  ...(of?.webhooks ?? []).map(({ id, host, isUnreached }, _, all): Concern => {
    const what = all.some(one => one.id !== id && one.host === host)
      ? `${host} (${shortId(id)})`
      : host
    const detail = isUnreached ? 'nothing has ever arrived there' : 'nothing was delivered for days'
    const address = `/hooks/webhooks/${id}`
    return { key: `webhook ${id}`, tone: 'bad', word: 'failing', what, detail, address }
  }),
  ...(of?.half ?? []).map((username): Concern => {
    const detail = 'the machine does not agree yet; it is tried again'
    return accountConcern('warn', 'half done', username, detail)
  }),
  ...(of?.certificates ?? []).map(({ domain, username, expires_at }): Concern => {
    const leftMs = date(expires_at).getTime() - Date.now()
    const detail = leftMs > 0 ? `ends in ${duration(leftMs)}, not renewed yet` : 'has ended'
    const what = `Certificate of ${domain}`
    return { ...accountConcern('warn', 'soon', username, detail), key: what, what }
  }),
  ...fullOf(full),
]

const accountConcern = (tone: Tone, word: string, what: string, detail: string): Concern => ({
  ...{ key: `${word} ${what}`, tone, word, what, detail },
  address: `/accounts/${what}`,
})

function fullOf(full: FullAccount[]): Concern[] {
  const [first] = full
  if (first === undefined) return []
  if (first.total === 1) {
    return [accountConcern('warn', 'quota', first.username, `its disk is ${first.percent} % full`)]
  }
  const names = full.map(({ username }) => username).join(', ')
  return [
    {
      key: 'quota',
      tone: 'warn',
      word: 'quota',
      what: `${count(first.total, 'account')} above 95 %`,
      detail: first.total > full.length ? `${names} and others` : names,
      address: '/accounts?sort=-disk',
    },
  ]
}
