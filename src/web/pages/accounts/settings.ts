import { operators, page } from '../../page.ts'
import { t } from '../../texts/texts.ts'
import { changeEmail, changePackage, setPassword } from './changes.ts'
import { showAccount } from './shown.ts'
import { terminate } from './states.ts'

/** /accounts/USERNAME/settings: all that can be changed, on one page. */
export const accountSettings = page({
  path: '/accounts/:username/settings',
  roles: operators,
  async load(asked) {
    const { params } = asked
    const shown = await showAccount(asked, params.username)
    const request = { ...asked, query: new URLSearchParams() }
    const headings = [
      t('accounts.packageLabel'),
      t('accounts.passwordLabel'),
      t('accounts.emailLabel'),
      t('accounts.terminate'),
    ]
    const forms = [changePackage, setPassword, changeEmail, terminate]
    return {
      ...shown,
      headings,
      forms: await Promise.all(forms.map(form => form.shown(request, params))),
    }
  },
  template: 'pages/accounts/settings',
})
