import { deleteQueued, queueId, retryQueued } from '../../../model/server/queue-changes.ts'
import { word } from '../../api-call.ts'
import { hidden } from '../../fields.ts'
import { form } from '../../form.ts'
import { administrators, type PageRequest } from '../../page.ts'
import { t } from '../../texts/texts.ts'

// Buttons of the messages that wait.

const shared = {
  roles: administrators,
  parent: () => '/mail',
  then: () => '/mail#queue',
  fields: { message: hidden('mail.message', queueId) },
} as const

const messageOf = ({ query }: Pick<PageRequest, 'query'>) => query.get('message') ?? ''

type Values = { values: { message: string } }

const toDesired = ({ values: { message } }: Values) => ({ messages: [message] })

/** /mail/queue/retry */
export const retryMessage = form({
  ...shared,
  path: '/mail/queue/retry',
  title: () => t('mail.retryMessage'),
  load: async asked => ({
    values: { message: messageOf(asked) },
    words: [t('mail.retryWords', { id: messageOf(asked) })],
  }),
  submit: 'mail.retry',
  call: (_, { message }) => ({ command: `panel mail queue retry ${word(message)}` }),
  flash: () => t('mail.messageIsRetried'),
  write: retryQueued,
  toDesired,
})

/** /mail/queue/delete */
export const deleteMessage = form({
  ...shared,
  path: '/mail/queue/delete',
  title: () => t('mail.deleteMessage'),
  load: async asked => ({
    values: { message: messageOf(asked) },
    words: [t('mail.deleteWords', { id: messageOf(asked) })],
  }),
  submit: 'mail.deleteMessage',
  isDanger: true,
  call: (_, { message }) => ({ command: `panel mail queue delete ${word(message)}` }),
  flash: () => t('mail.messageWasDeleted'),
  write: deleteQueued,
  toDesired,
})
