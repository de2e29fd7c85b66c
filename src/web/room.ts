import { t, type PlainKey } from './texts/texts.ts'

// The texts about the package's limit in forms that add something. At the limit they offer nothing
// that would be refused.

type Room = {
  /** The number that the account has, and the number that its package allows. */
  has: number
  max: number
  /** The package of the account, for an operator; a customer is shown none. */
  packageName?: string
}

/** The words for more of the things, for so many of them, and for none. */
type Things = { more: (left: number) => string; so: (max: number) => string; none: PlainKey }

export function roomFor({ more, so, none }: Things, { has, max, packageName }: Room) {
  const isOwn = packageName === undefined
  const name = isOwn ? t('words.yourPackage') : t('words.package', { name: packageName })
  const left = max - has
  if (left > 0) return { words: [t('words.roomLeft', { name, more: more(left) })] }
  const who = isOwn ? 'self' : 'account'
  const sentence =
    max === 0
      ? t('words.noneAllowed', { name, who, things: t(none) })
      : t('words.noMoreAllowed', { name, who, things: so(max) })
  return { words: [sentence], isIdle: true }
}
