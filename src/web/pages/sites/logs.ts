import { z } from 'zod'
import { askForReading, findReading } from '../../../model/sites/site-readings.ts'
import { withQuery } from '../../addresses.ts'
import { form } from '../../form.ts'
import { goTo, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { namesOf, siteAddress, siteOf, type SiteSection } from './section.ts'

const Query = z.object({
  kind: z.enum(['access', 'errors']).optional(),
  q: z
    .string()
    .max(200)
    .refine(text => !/\p{Cc}/u.test(text), { error: () => t('sites.mustHaveNoControl') })
    .optional(),
})

/** The last lines of a website's logs, and the form that has the worker read them again. */
export const logPages = (section: SiteSection) => ({
  logs: page({
    path: `${section.path}/logs`,
    roles: section.roles,
    query: Query,
    async load(asked) {
      const { id, domain } = await siteOf(section, asked)
      const found = await findReading(asked.pool, id, 'log')
      const { kind = 'access', q = '' } = asked.query
      const lines = found?.content?.[kind] ?? []
      const base = siteAddress(section, asked.params)
      const text = q.toLowerCase()
      const chips = (['access', 'errors'] as const).map(one => ({
        label: one === 'access' ? t('sites.requests') : t('sites.errors'),
        address: withQuery(`${base}/logs`, { kind: one, ...(q !== '' && { q }) }),
        isCurrent: one === kind,
      }))
      const file = `${domain}.${kind === 'access' ? 'access' : 'error'}.log`
      return {
        ...{ domain, base, chips, kind, q, file },
        lines: lines.filter(line => line.toLowerCase().includes(text)),
        isRead: found?.readAt !== undefined && found.readAt !== null,
        readAt: found?.readAt,
        isAwaited: found?.isAwaited ?? false,
      }
    },
    template: 'pages/sites/logs',
  }),
  readLogs: form({
    path: `${section.path}/logs/read`,
    roles: section.roles,
    title: params => t('sites.readLogsDomain', { domain: namesOf(params).domain }),
    parent: params => `${siteAddress(section, params)}/logs`,
    fields: {},
    async load(asked) {
      await siteOf(section, asked)
      return { words: [t('sites.showsLastLinesLogs')] }
    },
    submit: 'sites.readNow',
    async act(asked) {
      const { id } = await siteOf(section, asked)
      await askForReading(asked.pool, id, 'log')
      return goTo(`${siteAddress(section, asked.params)}/logs`)
    },
  }),
})
