import type { Described } from '../description.ts'
import { internals, shown } from '../refusals.ts'
import type { FuzzRequest } from './requests.ts'
import type { WireAnswer } from './wire.ts'

// The rules for every answer, to any request: as the description says, and without internals.

// Headers of every answer or of the connection.
const general = [
  'content-type',
  'content-length',
  'cache-control',
  'date',
  'connection',
  'keep-alive',
]

// Always sent where the description has them; other headers depend on the request.
const promised = ['x-request-id', 'retry-after', 'www-authenticate', 'location']

// Errors of requests that reach no operation: not HTTP, or an unsupported Expect (docs: Errors).
const beforeAll: Record<number, RegExp> = {
  400: /^The request is not valid HTTP$|^Exactly one Host header is required$/,
  417: /^Unsupported Expect header$/,
  431: /^The headers exceed 16 KiB/,
}

/** Every way in which the answer is not what it has to be, as sentences. */
export function faults(
  operations: Described[],
  request: FuzzRequest,
  answer: WireAnswer,
  isOutage: boolean,
): string[] {
  const { status, headers } = answer
  if (isHome(request.target)) {
    return [303, 405].includes(status) || status in beforeAll ? [] : ['the first page leads on']
  }
  const lines: string[] = []
  const header = (name: string) => headers.get(name)?.[0]
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(header('x-request-id') ?? '')) {
    lines.push('it has no X-Request-Id')
  }
  if (header('content-type') !== 'application/json') lines.push('it is no JSON')
  if (internals.test(answer.text)) lines.push('it shows insides')
  for (const [name, values] of headers) if (values.length > 1) lines.push(`two headers ${name}`)
  // An answer to HEAD has no body.
  const isBodyless = answer.text === '' && request.method === 'HEAD'
  const body = isBodyless ? undefined : parsed(answer.text)
  if (status >= 400 && !isBodyless) lines.push(...faultsOfRefusal(body))

  const isBefore = isBodyless || beforeAll[status]?.test(String(body?.['error']))
  if (status in beforeAll && isBefore) return lines
  const onPath = operations.filter(({ path }) => isAt(path, request.target))
  const asked = request.method === 'HEAD' ? 'GET' : request.method
  const operation = onPath.find(({ method }) => method === asked)
  if (operation === undefined) return [...lines, ...faultsOfNoMatch(onPath, answer)]
  if (status >= 500 && !isProvoked(request, status, isOutage)) lines.push('nothing has provoked it')
  const described = operation.answers.get(status)
  if (described === undefined) return [...lines, `${operation.id} is not described to answer it`]
  for (const name of described.headers.filter(name => promised.includes(name))) {
    if (!headers.has(name)) lines.push(`there is no ${name}`)
  }
  for (const name of headers.keys()) {
    if (![...general, ...described.headers].includes(name)) lines.push(`${name} is not described`)
  }
  if (isBodyless) return lines
  const { error } = described.body.safeParse(body)
  if (error !== undefined) lines.push(`the body is not as described: ${error.message}`)
  return lines
}

// Answers of the pages, which are described nowhere.
const isHome = (target: string): boolean => /^(https?:\/\/[^/?]*)?\/(\?[^]*)?$/i.test(target.trim())

function faultsOfRefusal(body: Record<string, unknown> | undefined): string[] {
  const sentence = body?.['error']
  if (Object.keys(body ?? {}).join() !== 'error') return ['it is not {"error": …} alone']
  // A sentence of one line.
  return typeof sentence === 'string' && /^[^\p{Cc}\p{Cs}\u2028\u2029]{8,1000}$/u.test(sentence)
    ? []
    : ['its error is no sentence']
}

function faultsOfNoMatch(onPath: Described[], { status, headers }: WireAnswer): string[] {
  if (onPath.length === 0) return status === 404 ? [] : ['an unknown path has to be 404']
  const allowed = headers.get('allow')?.[0]?.split(', ').sort()
  const described = onPath
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .sort()
  return status === 405 && String(allowed) === String(described)
    ? []
    : [`has to be 405 with Allow: ${described}`]
}

// Only an outage may be answered 503, and only a request that limits its wait 504.
const isProvoked = ({ headers }: FuzzRequest, status: number, isOutage: boolean): boolean =>
  (status === 503 && isOutage) ||
  (status === 504 && headers.some(([name, value]) => /^prefer$/i.test(name) && /wait/i.test(value)))

const isAt = (path: string, target: string): boolean =>
  new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}/?$`).test(target.trim().replace(/\?[^]*$/, ''))

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The parts of an exchange that a reader needs. */
export const reported = ({
  operation,
  method,
  target,
  caller,
  headers,
  body,
}: FuzzRequest): string =>
  `${operation}: ${method} ${shown(target)} by ${caller} with ${headers
    .slice(0, 8)
    .map(([name, value]) => shown(`${name}: ${value}`))
    .join(' ')} ${shown(body?.toString('latin1').slice(0, 200))}`
