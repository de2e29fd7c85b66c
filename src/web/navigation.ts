import type { Caller } from '../model/signing-in/callers.ts'
import type { Session } from '../model/signing-in/sessions.ts'
import type { Navigation } from './page.ts'
import { pages } from './pages.ts'
import { shown } from './texts/texts.ts'
import { shortId } from './words.ts'

// The navigation, from what the pages of the table say of themselves, in the order of the table.

const items = pages.flatMap(({ path, roles, navigation }) =>
  navigation === undefined ? [] : [{ path, roles, ...navigation }],
)

const patterns = pages.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`))

/** Returns the path to a page: the pages above it, by their addresses, and the page itself. */
function crumbsTo(path: string): { label: string; address: string }[] {
  const parts = path.split('/').slice(1)
  return parts.flatMap((part, index) => {
    const address = `/${parts.slice(0, index + 1).join('/')}`
    if (!patterns.some(pattern => pattern.test(address))) return []
    const label = items.find(item => item.path === address)?.label
    const name = label === undefined ? shortId(decodeURIComponent(part)) : shown(label)
    return [{ label: name, address }]
  })
}

/** Returns the navigation for a caller on a page: the items of its role, the page's one marked. */
export const navigationFor =
  ({ hasMail }: Pick<Session, 'hasMail'>) =>
  (caller: Caller, path: string): Navigation =>
    navigationOf(
      items.filter(item => hasMail || !item.needsMail),
      caller,
      path,
    )

function navigationOf(all: typeof items, { role, impersonator }: Caller, path: string): Navigation {
  const own = all.filter(
    item => item.roles.includes(role) && !('isPersonal' in item && impersonator),
  )
  const current = own
    .filter(item => path === item.path || path.startsWith(`${item.path}/`))
    .sort((one, other) => other.path.length - one.path.length)[0]
  const marked = current !== undefined && 'within' in current ? current.within : current?.path
  return {
    items: own
      .filter(item => 'icon' in item)
      .map(({ path, label, icon }) => ({
        ...{ path, icon, label: shown(label) },
        isCurrent: path === marked,
      })),
    labelled: own.map(({ path, label }) => ({ path, label: shown(label) })),
    crumbsTo,
  }
}
