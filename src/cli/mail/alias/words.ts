import type { MailAlias } from '../../../model/mail/mail-rows.ts'
import { fields } from '../../columns.ts'

/** Formats an alias for people. */
export const aliasWords = ({ alias, targets }: MailAlias) => fields({ alias, targets })
