// The files of mail hosting (docs/decisions/0055-mail.md): look-ups that the worker writes, and the
// configuration of the distribution's Postfix, Dovecot and Rspamd, which reads them.

/** Files that the daemons look addresses and logins up in. */
export const mailData = '/etc/panel-mail'

/** The maps that Postfix reads, each in its compiled form. */
export const compiledMaps = ['domains', 'mailboxes', 'aliases', 'senders'] as const

/**
 * The maps in which each account has a block of lines. Besides those of Postfix they have:
 *
 * - `rates`: `LOGIN UID LIMIT`, recipients an hour of the account that the login belongs to
 * - `forwards`: `ADDRESS UID LIMIT COUNT`, recipients elsewhere that a message to the address has
 * - `from-domains`: `LOGIN NAME,NAME,…`, domains and addresses that a login may have in From
 * - `script-domains`: `DOMAIN UID`, domains whose addresses scripts of the account send as
 * - `dkim-selectors`: `DOMAIN SELECTOR` of domains with a DKIM key
 */
export const mapNames = [
  ...compiledMaps,
  ...(['rates', 'forwards', 'from-domains', 'script-domains', 'dkim-selectors'] as const),
] as const

export type MapName = (typeof mapNames)[number]

export const mapFile = (name: MapName): string => `${mailData}/${name}`

export const compiledFile = (name: (typeof compiledMaps)[number]): string => `${mapFile(name)}.lmdb`

/** Its time is that of Postfix's last look at the domains: its processes keep their answers. */
export const domainsReadFile = `${mailData}/.domains-read`

/** Dovecot's users, in a file for each domain. */
export const passwdFolder = `${mailData}/passwd`

/** Sieve scripts that run before those of a mailbox. */
export const sieveFolder = `${mailData}/sieve`

/** The script that answers a mailbox's mail, in its home; few have one. */
export const autoresponderFile = 'autoresponder.sieve'

/** The script of a mailbox's filters, in its home. */
export const filtersFile = 'filters.sieve'

/** The folder of what mail hosting keeps, besides look-ups. */
export const mailServerState = '/var/lib/panel-mail'

/** Private keys of DKIM, as `DOMAIN.SELECTOR.key`. */
export const dkimFolder = `${mailServerState}/dkim`

/** The folder of Rspamd's socket, which only Postfix may enter. */
export const milterFolder = `${mailServerState}/milter`
export const milterSocket = `${milterFolder}/rspamd.sock`

/** Exists from the moment that the packages are the panel's. */
export const ownedFile = `${mailServerState}/owned`

/** Holds the settings of the last start that a reload does not change. */
export const startedFile = `${mailServerState}/started`

/** Configuration that an administrator had before. */
export const beforeFolder = `${mailServerState}/before`

/** Mailboxes: on the file system of homes, outside of them. */
export const mailboxFolder = '/home/.panel-mail'

/** The key and the certificate of the mail server's name, in one file. */
export const mailCertificateFile = '/etc/panel/tls/mail.pem'

/** Rules for outbound connections of accounts, and the unit that loads them. */
export const outboundFile = `${mailData}/outbound.nft`
export const outboundUnit = 'panel-mail-outbound.service'
export const outboundUnitFile = `/etc/systemd/system/${outboundUnit}`

/** Sockets in Postfix's folder that only Postfix may enter, for what Dovecot serves to it. */
export const postfixPrivate = '/var/spool/postfix/private'

/** The group that may reach Postfix's sockets which are not its own processes' alone. */
export const socketGroup = 'postdrop'

/** Sockets and locks of the services that the panel adds to Postfix. */
export const postfixSockets = [
  ...['public/panel-filters', 'public/panel-scripts', 'private/panel-rates'],
  ...['pid/unix.panel-filters', 'pid/unix.panel-scripts', 'pid/unix.panel-rates'],
].map(name => `/var/spool/postfix/${name}`)

/** The lowest user number of accounts. */
export const firstUid = 20_000
export const lastUid = 2_000_000_000
