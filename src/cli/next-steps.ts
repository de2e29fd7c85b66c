import { portalPort } from '../install/settings.ts'
import { adminerPort } from '../model/server/host.ts'

/** Returns what an administrator does after an installation; `license` is a line or none. */
export const toNext = (hostname: string, databases: boolean, license: string) => `
Open these ports in your firewall: 22 for SFTP, 80 and 443 for websites,
${portalPort} for the panel${databases ? `, ${adminerPort} for databases in the browser` : ''}.

Sign in works only at the name ${hostname}. Until it points here, add
a line with this server's address and that name to your own hosts file.
Until then the certificate is self-signed, and browsers warn about it.

Next steps:
${license}  panel package set basic --disk-mb 1024     a first package
  panel token create --owner admin           for your billing system, whose module
                                             is in /opt/panel/current/billing
`
