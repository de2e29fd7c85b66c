import { askForReading, findReading } from '../../../model/sites/site-readings.ts'
import { statisticsTables, type TableName } from '../../../model/sites/site-statistics.ts'
import { form } from '../../form.ts'
import { goTo, page } from '../../page.ts'
import { size } from '../../words.ts'
import { t } from '../../texts/texts.ts'
import { namesOf, siteAddress, siteOf, type SiteSection } from './section.ts'

/** The statistics of a website, and the form that has the worker compute them again. */
export const statisticsPages = (section: SiteSection) => ({
  statistics: page({
    path: `${section.path}/statistics`,
    roles: section.roles,
    async load(asked) {
      const { id, domain } = await siteOf(section, asked)
      const found = await findReading(asked.pool, id, 'statistics')
      const content = found?.content ?? null
      const result = content !== null && 'days' in content ? content : null
      return {
        ...{ domain, base: siteAddress(section, asked.params), result },
        problem: content !== null && 'problem' in content ? content.problem : null,
        readAt: found?.readAt ?? null,
        isAwaited: found?.isAwaited ?? false,
        days: (result?.days ?? []).map(({ date, visitors, hits, bytes: sent }) => ({
          label: date,
          short: date.slice(5),
          value: visitors,
          title: [
            t('sites.dateVisitor', { date, visitors }),
            t('sites.request', { hits }),
            bytes(sent),
          ].join(', '),
        })),
        tables: Object.entries(statisticsTables).flatMap(([name, { title, of }]) => {
          const rows = result?.[name as TableName] ?? []
          const max = Math.max(1, ...rows.map(({ hits }) => hits))
          const shown = rows.map(row => ({ ...row, part: (100 * row.hits) / max }))
          return rows.length === 0 ? [] : [{ name, title, of, rows: shown }]
        }),
        bytes,
      }
    },
    template: 'pages/sites/statistics',
  }),
  readStatistics: form({
    path: `${section.path}/statistics/read`,
    roles: section.roles,
    title: params => t('sites.computeStatisticsDomain', { domain: namesOf(params).domain }),
    parent: params => `${siteAddress(section, params)}/statistics`,
    fields: {},
    async load(asked) {
      await siteOf(section, asked)
      return { words: [t('sites.workerComputesThemFrom')] }
    },
    submit: 'sites.computeNow',
    async act(asked) {
      const { id } = await siteOf(section, asked)
      await askForReading(asked.pool, id, 'statistics')
      return goTo(`${siteAddress(section, asked.params)}/statistics`)
    },
  }),
})

const megabyte = 1_048_576

/** 12 kB, 1.5 MB */
const bytes = (value: number): string =>
  value < megabyte
    ? t('sites.valueKb', { value: Math.ceil(value / 1_024) })
    : size(value / megabyte)
