import { replyTo, type Reply } from '../http/reply.ts'
import { t, type PlainKey } from './texts/texts.ts'
import { draw, type PageRequest } from './page.ts'
import { plain } from './render.ts'
import { closed } from './words.ts'

const titles: Record<number, PlainKey> = {
  400: 'panel.requestWasNotUnderstood',
  403: 'panel.notAllowed',
  404: 'panel.notFound',
  405: 'panel.notPossibleHere',
  410: 'panel.noLongerAvailable',
  413: 'panel.tooLarge',
  429: 'panel.tooManyRequests',
  503: 'panel.oneMomentPlease',
}

/** Returns a failure as a page, within the frame if the visitor is signed in. */
export function failurePage(
  error: unknown,
  facts: Record<string, unknown>,
  request?: PageRequest,
): Reply {
  const { status, headers, body } = replyTo(error, facts)
  const { error: message } = JSON.parse(body.toString()) as { error: string }
  const title = t(titles[status] ?? 'panel.somethingWentWrong')
  const sentence = status === 500 ? t('panel.panelHasProblemTry') : closed(message)
  const page =
    request === undefined
      ? plain(status, 'message', { title, sentence, isLost: true })
      : draw(request, status, 'pages/failure', { title, sentence })
  return { ...page, headers: { ...headers, ...page.headers } }
}
