import { replyTo, type Reply } from '../http/reply.ts'
import { draw, type PageRequest } from './page.ts'
import { plain } from './render.ts'
import { closed } from './words.ts'

const titles: Record<number, string> = {
  400: 'The request was not understood',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not possible here',
  410: 'No longer available',
  413: 'Too large',
  429: 'Too many requests',
  503: 'One moment, please',
}

/** Returns a failure as a page, within the frame if the visitor is signed in. */
export function failurePage(
  error: unknown,
  facts: Record<string, unknown>,
  request?: PageRequest,
): Reply {
  const { status, headers, body } = replyTo(error, facts)
  const { error: message } = JSON.parse(body.toString()) as { error: string }
  const title = titles[status] ?? 'Something went wrong'
  const sentence = status === 500 ? 'The panel has a problem. Try again soon.' : closed(message)
  const page =
    request === undefined
      ? plain(status, 'message', { title, sentence, isLost: true })
      : draw(request, status, 'pages/failure', { title, sentence })
  return { ...page, headers: { ...headers, ...page.headers } }
}
