import { z } from 'zod'
import { NewToken } from '../../../model/signing-in/tokens.ts'
import { date, select } from '../../fields.ts'
import { refuse } from '../../form.ts'
import { t } from '../../texts/texts.ts'

// The time at which a new API token expires: after some days, on a day, or never.

const days = ['30', '90', '365'] as const
const never = 'never'
const onDay = 'day'

export const expiryFields = {
  lifetime: select('myAccount.lifetimeLabel', z.enum([never, ...days, onDay]).optional()),
  expires: date('myAccount.expiresLabel', NewToken.shape.expiresAt.optional(), {
    hint: 'myAccount.expiresHint',
  }),
}

export const lifetimeOptions = () => [
  { value: never, label: t('myAccount.never') },
  ...days.map(value => ({ value, label: t('myAccount.day', { value: Number(value) }) })),
  { value: onDay, label: t('myAccount.onADay') },
]

type Typed = { lifetime?: string | undefined; expires?: Date | undefined }

/** Checks that both fields say the same. */
export function checkExpiry({ lifetime, expires }: Typed): void {
  if (lifetime === onDay && expires === undefined) {
    refuse({ expires: t('myAccount.enterDayWhichToken') })
  }
  if (lifetime !== undefined && lifetime !== onDay && expires !== undefined) {
    refuse({ lifetime: t('myAccount.chooseDayLeaveDay') })
  }
}

/** Returns when the token expires; undefined if it does not. */
export function expiryOf({ lifetime, expires }: Typed, now = Date.now()): Date | undefined {
  const number = days.find(one => one === lifetime)
  return number === undefined ? expires : new Date(now + Number(number) * 86_400_000)
}

/** Returns the same for the command next to the form, where nothing is validated yet. */
export function expiryWord({ lifetime, expires }: Record<string, unknown>): unknown {
  const typed = { lifetime: String(lifetime) }
  return expiryOf(typed)?.toISOString() ?? (lifetime === never ? undefined : expires)
}
