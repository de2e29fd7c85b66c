import type { IncomingMessage } from 'node:http'
import { PanelError } from '../errors.ts'
import { readBody } from '../http/request.ts'
import { t } from './texts/texts.ts'

/** Reads the fields that a form has sent. */
export async function readForm(message: IncomingMessage): Promise<URLSearchParams> {
  const type = message.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new PanelError('invalid', t('forms.formSentApplicationX'))
  }
  const fields = new URLSearchParams((await readBody(message)).toString())
  // PostgreSQL takes none in a text.
  if ([...fields].flat().some(word => word.includes('\0'))) {
    throw new PanelError('invalid', t('forms.formMustNotContain'))
  }
  return fields
}
