import { endpoints } from '../../../src/api/routes.ts'
import type { Endpoint } from '../../../src/api/endpoint.ts'
import type { Page } from '../../../src/api/reference.ts'

export type Reply = { status: number; headers: Map<string, string>; body: unknown }

/** A command of the reference and the answer that the text says it gets. */
export type Example = {
  title: string
  script: string
  operation: Endpoint | undefined
  expected: Reply
}

/** Every curl command of a page with the answer below it. */
export function examplesOf({ slug, text }: Page): Example[] {
  const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, content]) => ({
    language,
    content: content ?? '',
  }))
  return blocks.flatMap(({ language, content }, index) => {
    if (language !== 'sh' || !content.startsWith('curl ')) return []
    const next = blocks[index + 1]
    if (next?.language !== 'http') throw new Error(`No answer below ${slug}: ${content}`)
    const expected = parseReply(next.content)
    const title = `${slug}: ${content.split('\n', 1)[0]?.replace(' \\', '')} is ${expected.status}`
    return [{ title, script: content, operation: operationOf(content), expected }]
  })
}

/** An answer as `curl -i` prints it. */
export function parseReply(text: string): Reply {
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').split('\n\n')
  const [first = '', ...lines] = head.trim().split('\n')
  const headers = lines.map(line => {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    return [name.toLowerCase(), value] as const
  })
  const body = rest.join('\n\n').trim()
  return {
    status: Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(first)?.[1]),
    headers: new Map(headers),
    body: body.startsWith('{') ? JSON.parse(body) : body,
  }
}

function operationOf(script: string): Endpoint | undefined {
  const method = /-X (\w+)/.exec(script)?.[1] ?? 'GET'
  const path = /"\$PANEL\/api\/v1(\/[^"?]*)/.exec(script)?.[1]
  return endpoints.find(
    operation =>
      operation.method === method &&
      path !== undefined &&
      new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
}

/** Values that differ from one panel to the next are left out of the comparison. */
export const comparable = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body, (name, value: unknown) => {
      if (varies.has(name)) return name
      // The month in which a key was made.
      if (typeof value === 'string') value = value.replace(/^p[0-9]{6}[.]_/, 'pYYYYMM._')
      return name.endsWith('_at') && value !== null ? 'time' : value
    }),
  )

const varies = new Set([
  'time',
  'server',
  'id',
  'url',
  'period',
  'proof',
  'measured_at',
  'disk_used_mb',
  'database_used_mb',
  'bandwidth_used_mb',
  'bytes',
  'bytes_read',
  'bytes_added',
  'files',
  'duration_ms',
])

/** Header values in which an id or a number differs. */
export const comparableHeader = (name: string, value: string): string =>
  /^(location|ratelimit-(remaining|reset))$/.test(name)
    ? value.replace(/[^/]+$/, 'ID').replaceAll(/[0-9]+/g, 'N')
    : value
