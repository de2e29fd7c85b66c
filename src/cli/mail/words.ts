import type { MailServer } from '../../model/server/mail-server.ts'
import { fields, type Layout } from '../columns.ts'

/** Prints whether mail hosting is on. */
export const mailWords = ({ mail }: { mail: MailServer | null }): Layout =>
  fields({ mail: mail === null ? 'off' : 'on', ...mail })
