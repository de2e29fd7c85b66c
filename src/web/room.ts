import { count } from './words.ts'

// The texts about the package's limit in forms that add something. At the limit they offer nothing
// that would be refused.

type Room = {
  /** The number that the account has, and the number that its package allows. */
  has: number
  max: number
  /** The plural of the thing, if it is not in s. */
  plural?: string
  /** The package of the account, for an operator; a customer is shown none. */
  packageName?: string
}

export function roomFor(thing: string, { has, max, packageName, plural = `${thing}s` }: Room) {
  const name = packageName === undefined ? 'Your package' : `Package ${packageName}`
  const left = max - has
  if (left > 0)
    return { words: [`${name} has room for ${count(left, `more ${thing}`, `more ${plural}`)}.`] }
  const who = packageName === undefined ? 'you already have' : 'the account already has'
  const larger =
    packageName === undefined ? 'ask your hosting provider for a larger one' : 'change its package'
  const isNone = max === 0
  const sentence = isNone
    ? `${name} allows no ${plural}: ${larger}.`
    : `${name} allows ${count(max, thing, plural)}, and ${who} that many: remove one, or ${larger}.`
  return { words: [sentence], isIdle: true }
}
