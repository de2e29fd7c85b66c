// The folders that nginx looks a website up in, at each request. Root's alone: no account can
// change anything in them.
//
//   names/alice.example, names/www.alice.example   -> ../sites/0000000437
//   sites/0000000437                               -> ../live/0000000437 or ../suspended/0000000437
//   live/0000000437/http, https                    -> its public folder; its account's own links
//   live/0000000437/https-only                     where there is no `http`: visitors of names in
//                                                  `tls` are sent on, those of others served
//   live/0000000437/set                            -> settings/<digest> (site-settings.ts)
//   live/0000000437/no-php                         where its version of PHP is not installed
//   live/0000000437/limit                          -> ../../limits/060, the seconds that its
//                                                  package allows a script, if fewer than usual
//   live/0000000437/php.sock                       -> the socket of its or its account's PHP
//   suspended/0000000437/suspended
//   mail-names/autoconfig.alice.example            where it answers mail programs (mail-setup.ts)
//   tls/alice.example                              -> ../certs/0000000437.pem, if that covers it

export const webFolder = '/var/lib/panel/web'

/** Links are made here before they are renamed into place. */
export const freshFolder = `${webFolder}/fresh`

/** Keys and certificates as nginx reads them: copies of the panel's own files. */
export const certsFolder = `${webFolder}/certs`

/** A link to the folder whose name is the thumbprint that challenges are answered with. */
export const acmeLink = `${webFolder}/acme/account`

/** The page that a suspended website shows. */
export const suspendedPage = `${webFolder}/pages/503.html`

/** The folders of websites and names. */
export const parts = ['live', 'suspended', 'sites', 'names', 'tls', 'certs', 'limits'] as const
export type Part = (typeof parts)[number]

/** The folders that all websites share, parents first. */
export const webFolders = [
  webFolder,
  ...[...parts, 'fresh', 'acme', 'acme/none', 'pages', 'mail-names'].map(
    name => `${webFolder}/${name}`,
  ),
]

/**
 * Formats a website's number for folder names: with a fixed width, so that none is a prefix of
 * another.
 */
export const numberOf = (siteId: string): string => siteId.padStart(10, '0')

/** Returns the website that a folder, link or certificate is named after, or points to. */
export function siteIdOf(name: string): string | undefined {
  const number = /(?:^|\/)([0-9]{10,})(?:\.pem)?$/.exec(name)?.[1]
  return number?.replace(/^0+(?=.)/, '')
}

/** Returns the path of a name in one of the folders. */
export const at = (part: Part, name: string): string => `${webFolder}/${part}/${name}`

export const certificateOf = (siteId: string): string => at('certs', `${numberOf(siteId)}.pem`)
