import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { Db, Pool } from '../db.ts'
import { PanelError } from '../errors.ts'
import type { AddressOf } from '../http/caller-address.ts'
import type { Reply } from '../http/reply.ts'
import { parse } from '../http/request.ts'
import type { Caller } from '../model/signing-in/callers.ts'
import type { License } from '../model/server/license.ts'
import type { Session } from '../model/signing-in/sessions.ts'
import type { CallerKeys } from '../requests/caller-keys.ts'
import type { Execute } from '../requests/execute.ts'
import type { Params } from './addresses.ts'
import { maskToken } from './form-token.ts'
import { headersOfPages, render } from './render.ts'
import { type Flash, writeFlash } from './flash.ts'
import { cookiesAt } from './session-cookie.ts'
import { t, type Text } from './texts/texts.ts'

// A page is an address, who may see it, what its query may say, what it loads and its template.

/** The connections of the pages. */
export type Wiring = {
  pool: Pool
  execute: Execute
  /** @throws {PanelError} `license_invalid` */
  requireLicense: () => License
  /** Whether the server may sign its own license. */
  maySignLicense: boolean
  /** The base of all addresses, which are never made from a Host header. */
  baseUrl: string
  addressOf: AddressOf
  /** Signs what browsers keep, and opens the secrets of second factors. */
  serverKey: () => Buffer
  about: About
  /** The folder in which uploads wait for the worker. */
  uploadsDir: string
  /** The folder in which the worker puts files for download. */
  exportsDir: string
  /** Why no courier will ever send to an address, if so; takes some seconds at most. */
  whyUnreachable: (url: string) => Promise<string | undefined>
}

/** Facts about the panel itself, for pages. */
export type About = {
  serverName: string
  version: string
  /** The time for which the files of a terminated account are kept. */
  trashHours: number
  /** The server's own, as the names of websites should point to them. */
  addresses: (db: Db) => Promise<string[]>
}

export type Role = Caller['role']

/** A request of a user who is signed in. */
export type PageRequest = {
  wiring: Wiring
  pool: Pool
  session: Session
  caller: Caller
  keys: CallerKeys
  /** Path and query as they were sent. */
  target: string
  params: Record<string, string>
  query: URLSearchParams
  /** The fields of a form; nothing in a GET. */
  body: URLSearchParams
  /** The request itself, where its body is a file, of which nothing was read yet. */
  sent?: IncomingMessage
  /** It refreshes a part of a page that is open. */
  isLive: boolean
  /** The message of the form before it. */
  flash: Flash | undefined
  /** The navigation of a caller at a path. */
  navigation: (caller: Caller, path: string) => Navigation
}

/** The navigation next to a page, and the links above it. */
export type Navigation = {
  items: { path: string; label: string; icon: string; isCurrent: boolean }[]
  /** All pages with a label, also those within an item. */
  labelled: { path: string; label: string }[]
  crumbsTo: (path: string) => { label: string; address: string }[]
}

/** The item of a page in the navigation: a line of its own, or part of another's. */
export type NavigationItem = {
  label: Text
  /** It is left out on a server without mail. */
  needsMail?: true
} & (
  | {
      icon: string
      /** It is hidden from an operator who is signed in as the customer. */
      isPersonal?: true
    }
  | { within: string }
)

/** A row of the table of pages (routes.ts). */
export type Page = {
  path: string
  roles: readonly Role[]
  navigation?: NavigationItem
  get: (request: PageRequest) => Promise<Reply>
  /** Its form sends a file: what else it says is in its address. */
  takesFile?: true
  post?: (request: PageRequest) => Promise<Reply>
  /** Its form as it was sent, by a user who has signed in again since it was drawn. */
  again?: (request: PageRequest) => Promise<Reply>
}

export const operators = ['administrator', 'reseller'] as const
export const administrators = ['administrator'] as const
export const customers = ['customer'] as const

const NoQuery = z.object({})

/** A request of a page, with its path and query parsed. */
export type Asked<Path extends string, Query extends z.ZodType = typeof NoQuery> = Omit<
  PageRequest,
  'params' | 'query'
> & { params: Params<Path>; query: z.output<Query> }

/**
 * Refuses an operator who has signed in as a customer: it is for customers only.
 *
 * @throws {PanelError} `forbidden`
 */
export function requireSelf({ impersonator, name }: Session): void {
  if (impersonator === null) return
  throw new PanelError('forbidden', t('panel.onlyNameCan', { name }))
}

/** Defines a page that only shows data; `load` may answer by itself, as with a redirect. */
export const page = <Path extends string, Query extends z.ZodObject = typeof NoQuery>(given: {
  path: Path
  roles: readonly Role[]
  navigation?: NavigationItem
  query?: Query
  load: (asked: Asked<Path, Query>) => Promise<object>
  /** Below src/web, without its ending. */
  template: string
}): Page => ({
  path: given.path,
  roles: given.roles,
  ...(given.navigation && { navigation: given.navigation }),
  get: async request => {
    const query = parseQuery(given.query ?? NoQuery, request.query) as z.output<Query>
    const data = await given.load({ ...request, params: request.params as Params<Path>, query })
    return isReply(data) ? data : draw(request, 200, given.template, { ...data, query })
  },
})

const isReply = (data: object): data is Reply => 'status' in data && 'body' in data

/** @throws {PanelError} `invalid`, which says of which word why */
export const parseQuery = <Query extends z.ZodObject>(
  schema: Query,
  query: URLSearchParams,
): z.output<Query> =>
  parse(schema, Object.fromEntries([...query].filter(([, value]) => value !== '')))

/** Draws a page in the frame of the user who is signed in. */
export function draw(
  request: PageRequest,
  status: number,
  template: string,
  data: Record<string, unknown>,
): Reply {
  const { session, target, wiring } = request
  const [path = ''] = target.split('?', 1)
  const here = {
    session,
    role: session.caller.role,
    /** For the token that every form carries. */
    token: () => maskToken(session.formToken),
    flash: request.flash,
    newKey: () => randomUUID(),
    path,
    target,
    query: Object.fromEntries(request.query),
    /** Whether it is the person itself, who alone may do what is personal. */
    isSelf: session.impersonator === null,
    ...request.navigation(session.caller, path),
    about: wiring.about,
    baseUrl: wiring.baseUrl,
  }
  const flash =
    request.flash === undefined ? {} : { 'set-cookie': [cookiesAt(wiring.baseUrl).flash.cleared] }
  return { status, headers: { ...headersOfPages, ...flash }, body: render(template, here, data) }
}

/** Sends the browser on, to a page that says at its top what was done. */
export function goToSaying(
  address: string,
  flash: string | Flash,
  { baseUrl }: Pick<Wiring, 'baseUrl'>,
  how?: { isLive: boolean },
): Reply {
  const reply = goTo(address, how)
  reply.headers['set-cookie'] = [cookiesAt(baseUrl).flash.toHeader(writeFlash(flash))]
  return reply
}

/** Returns the page where the user follows an operation. */
export const operationPath = ({ role }: Pick<Caller, 'role'>, id: string): string =>
  `${role === 'customer' ? '/account' : ''}/jobs/${id}`

/** Sends the browser on. A live part of a page takes the whole page along. */
export function goTo(address: string, { isLive } = { isLive: false }): Reply {
  const headers = { ...headersOfPages, [isLive ? 'hx-redirect' : 'location']: address }
  return { status: isLive ? 200 : 303, headers, body: Buffer.alloc(0) }
}
