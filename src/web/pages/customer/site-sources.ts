import { z } from 'zod'
import * as sites from '../../../model/sites/sites.ts'
import { checkbox } from '../../fields.ts'
import { form } from '../../form.ts'
import { customers } from '../../page.ts'
import { ownSite, pathOfSite } from './own.ts'

/** Explains what becomes accessible with the source files of a website, and what does not. */
export const sourcesWords: string[] = [
  'Anyone who guesses the name of such a file can read it, including database passwords: PHP ' +
    'with other extensions (.phtml, .inc, .phps), copies (config.php.bak, config.php~), dumps ' +
    '(.sql, .sql.gz), composer.json, and files that Composer installed into /vendor.',
  'Never served: names that begin with a dot (.env, .git, .htaccess), and wp-config.php, ' +
    'auth.json and their copies. Files with the extension .php are run and never shown.',
]

/** The field for the files of a website that are served. */
export const sourcesFields = {
  serves_sources: checkbox('Serve source files, copies of them and database dumps', z.boolean()),
}

/** Whether visitors get source files. */
export const setSources = form({
  path: '/account/sites/:domain/sources',
  roles: customers,
  title: ({ domain }) => `Source files of ${domain}`,
  parent: ({ domain }) => pathOfSite(domain),
  fields: sourcesFields,
  async load(asked) {
    const { site } = await ownSite(asked, asked.params.domain)
    return { values: { serves_sources: site.settings.serves_sources }, words: sourcesWords }
  },
  submit: 'Save',
  write: sites.set,
  toDesired: ({ session, params, values }) => ({
    username: session.name,
    ...params,
    change: values,
  }),
  flash: ({ domain }) => `Saved for ${domain}.`,
})
