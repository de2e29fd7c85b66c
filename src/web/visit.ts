import type { IncomingMessage } from 'node:http'
import { isbot } from 'isbot'

type Headers = Pick<IncomingMessage, 'headers'>

// Headers of a page that is fetched ahead of a visit (Sec-Purpose is the standard, the others are
// older browsers').
const aheadHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']

// Programs that open a link to preview or check it before a person does, and that look like
// browsers to the list of bots.
const previewers =
  /ms-office|microsoft office|outlook|slack|skype|discord|vkshare|proofpoint|mimecast|barracuda/i

/**
 * Returns whether a person opens the page now. Fetch Metadata is believed where a browser sends it;
 * without it, as over plain HTTP, the request counts as a visit.
 */
export function isVisit({ headers, method }: Headers & { method?: string | undefined }): boolean {
  return (
    method === 'GET' &&
    !aheadHeaders.some(name => headers[name] !== undefined) &&
    (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate' &&
    (headers['sec-fetch-dest'] ?? 'document') === 'document' &&
    !isbot(headers['user-agent']) &&
    !previewers.test(headers['user-agent'] ?? '')
  )
}

/**
 * Returns whether a form was sent from one of our own pages, by the browser's headers: all that it
 * sends must agree, and it must send one of them.
 */
export function isFromHere({ headers }: Headers, origin: string): boolean {
  const { origin: sent, 'sec-fetch-site': site } = headers
  return (
    (sent ?? site) !== undefined &&
    (sent ?? origin) === origin &&
    (site ?? 'same-origin') === 'same-origin'
  )
}

/**
 * Returns the same for the page of a sign-on link, which names no referrer, so that browsers hide
 * its origin too: Sec-Fetch-Site alone decides where there is one.
 */
export function isFromLink({ headers }: Headers, origin: string): boolean {
  const site = headers['sec-fetch-site']
  return site === undefined ? headers.origin === origin : site === 'same-origin'
}
