import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Reply } from '../http/reply.ts'

// Parts of pages that refresh themselves. The script (scripts/panel.js) sends the ETag of the part
// that it shows, and gets that part alone, or a 304 if nothing in it has changed.

/**
 * Cuts a page down to the part that its own script refreshes. Any other request gets the reply as
 * it is: a `htmx` request for more than one part, or a page without the part.
 *
 * @param message whose `HX-Target` names the part, such as `section#jobs`
 */
export function livePart({ headers }: Pick<IncomingMessage, 'headers'>, reply: Reply): Reply {
  const known = headers['if-none-match']
  const [, tag, id] = /^([a-z]+)#([a-z-]+)$/.exec(String(headers['hx-target'] ?? '')) ?? []
  if (known === undefined || tag === undefined || id === undefined || reply.status !== 200)
    return reply
  const part = cut(reply.body.toString(), tag, id)
  if (part === undefined) return reply
  const etag = toEtag(part)
  if (etag === known) return { status: 304, headers: { etag }, body: Buffer.alloc(0) }
  return { ...reply, headers: { ...reply.headers, etag }, body: Buffer.from(part) }
}

// Returns the element with this id. Values are escaped, so that every `<` begins a tag.
function cut(html: string, tag: string, id: string): string | undefined {
  const start = new RegExp(`<${tag}(?= )[^>]* id="${id}"`).exec(html)?.index
  if (start === undefined) return undefined
  const tags = new RegExp(`<(/?)${tag}\\b`, 'g')
  tags.lastIndex = start
  let depth = 0
  for (let found = tags.exec(html); found !== null; found = tags.exec(html)) {
    depth += found[1] === '' ? 1 : -1
    if (depth === 0) return html.slice(start, html.indexOf('>', found.index) + 1)
  }
  return undefined
}

// The ETag leaves out what differs each time although nothing has changed: relative times, which
// the script updates, and the tokens and keys of forms.
function toEtag(part: string): string {
  const stable = part
    .replaceAll(/(<time [^>]*>)[^<]*/g, '$1')
    .replaceAll(/(name="(?:token|key)" value=")[^"]*/g, '$1')
  return `W/"${createHash('sha256').update(stable).digest('base64url').slice(0, 22)}"`
}
