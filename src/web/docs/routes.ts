import type { OpenRoute } from '../../http/server.ts'
import { PanelError } from '../../errors.ts'
import type { Wiring } from '../page.ts'
import { plain } from '../render.ts'
import { t } from '../texts/texts.ts'
import { readApi, type ApiSection } from './api-description.ts'

// The API reference for people, at /docs, which is open to anyone like the file it is made from.

/** Returns the routes of the API reference: its contents, and a page for each section. */
export function docsRoutes({ baseUrl }: Pick<Wiring, 'baseUrl'>): OpenRoute[] {
  let read: ApiSection[] | undefined
  // The first reader waits for it.
  const sections = () => (read ??= readApi(baseUrl))
  return [
    {
      path: '/docs',
      handler: async () => plain(200, 'docs', { sections: sections(), baseUrl }),
    },
    {
      path: '/docs/:section',
      async handler({ params }) {
        const section = sections().find(({ slug }) => slug === params['section'])
        if (section === undefined) throw new PanelError('not_found', t('signIn.thereNoSuchSection'))
        return plain(200, 'docs-section', { sections: sections(), section, baseUrl })
      },
    },
  ]
}
