import type { Panel } from '../panel.ts'

// Every POST, PUT, PATCH and DELETE of the API, as a table of what each has to answer: what the
// rules of Idempotency-Key hold for.

export type Request = { method: string; path: string; body?: object }

export type Write = {
  request: Request
  status: 200 | 201
  location?: string
  /** The worker does it, so it can be met while it runs; all others are done with their claim. */
  isWork?: boolean
  /** It is retried until it succeeds, and never ends in 5xx. */
  isForwardOnly?: boolean
  /** The status of the same request once its key is over a day old. */
  again: number
  /** Refused at first, for a reason that ends later (or for its body). */
  refused: { request: Request; status: number }
}

const account = (username: string, packageName = 'starter') => ({
  username,
  password: 'correct horse battery',
  email: `${username}@example.com`,
  package: packageName,
  domain: `${username}.example`,
})

// For an account that exists from the start and serves only this one write.
const work = (method: string, path: (username: string) => string, user: string, body?: object) => ({
  request: { method, path: path(user), ...(body && { body }) },
  refused: { request: { method, path: path('later'), ...(body && { body }) }, status: 404 },
  status: 200 as const,
  isWork: true,
  again: 200,
})

const below = (verb: string) => (username: string) => `/accounts/${username}/${verb}`

/** By the operations' ids of the description. */
export const writes: Record<string, Write> = {
  putPackage: {
    request: { method: 'PUT', path: '/packages/made', body: { disk_mb: 99 } },
    status: 201,
    again: 200,
    refused: {
      request: { method: 'PUT', path: '/packages/bad', body: { disk_mb: -1 } },
      status: 400,
    },
  },
  deletePackage: {
    request: { method: 'DELETE', path: '/packages/unused' },
    status: 200,
    again: 404,
    refused: { request: { method: 'DELETE', path: '/packages/later' }, status: 404 },
  },
  createAccount: {
    request: { method: 'POST', path: '/accounts', body: account('created') },
    status: 201,
    location: '/api/v1/accounts/created',
    isWork: true,
    again: 400,
    refused: {
      request: { method: 'POST', path: '/accounts', body: account('hurried', 'later') },
      status: 400,
    },
  },
  suspendAccount: work('POST', below('suspend'), 'suspended', { reason: 'unpaid' }),
  unsuspendAccount: work('POST', below('unsuspend'), 'unsuspended'),
  changePackage: work('PUT', below('package'), 'changed', { package: 'large' }),
  setPassword: work('PUT', below('password'), 'secured', { password: 'another horse battery' }),
  changeAccount: {
    ...work('PATCH', username => `/accounts/${username}`, 'moved', { email: 'new@example.com' }),
    isWork: false,
  },
  terminateAccount: {
    ...work('DELETE', username => `/accounts/${username}`, 'terminated'),
    isForwardOnly: true,
    again: 404,
  },
  signOn: { ...work('POST', below('login'), 'visited'), isWork: false },
}

/** Makes the packages and accounts that the requests are about. */
export async function prepareWrites({ call }: Panel): Promise<void> {
  for (const name of ['starter', 'large', 'unused']) {
    await call('PUT', `/api/v1/packages/${name}`, { body: {} })
  }
  const usernames = Object.values(writes)
    .filter(({ request }) => request.path.startsWith('/accounts/'))
    .map(({ request }) => request.path.split('/')[2]!)
  await Promise.all(
    usernames.map(name => call('POST', '/api/v1/accounts', { body: account(name) })),
  )
  await call('POST', '/api/v1/accounts/unsuspended/suspend')
}

/** Ends the reasons of the refusals. */
export async function endRefusals({ call }: Panel): Promise<void> {
  await call('PUT', '/api/v1/packages/later', { body: {} })
  await call('POST', '/api/v1/accounts', { body: account('later') })
}
