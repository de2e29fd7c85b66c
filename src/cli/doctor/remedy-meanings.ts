import { startable, type Remedy } from '../../model/server/remedies.ts'

/** The effect of each remedy, for the reference. */
export const remedyMeanings: Record<Remedy['do'], string> = {
  'start-service': `starts \`service\`: ${startable.map(name => `\`${name}\``).join(', ')}`,
  'rebuild-account': '`panel ctl rebuild` for `username`',
  'rebuild-server': 'writes what all websites share again, and removes websites of no account',
  'recheck-site': 'checks where `domain` points, and requests a certificate: `panel site recheck`',
  repair: '`panel ctl doctor --fix`',
  'empty-trash': 'deletes the kept files of terminated accounts, after a question that names them',
  'back-up': 'asks for a passphrase and writes a backup of the server: `panel backup create`',
  view: 'leads to the `page` that shows more, such as failed jobs',
  'view-site': 'leads to the page of `domain`',
  run: 'has the `command` of what only root can do, with a button that copies it',
}
