import { certsFolder, webFolder } from './folders.ts'

// Settings for mail programs, which ask for them at names below a mail domain: Thunderbird at
// autoconfig.example.com, Outlook at autodiscover.example.com. The answers name the mail server and
// nothing of a customer's. Without a certificate for these names they are answered by HTTP; Outlook
// is sent on to the mail server's own name.

/** Names of mail domains that are answered: an empty file for each. */
export const setupFolder = `${webFolder}/mail-names`

/** A copy of the mail server's key and certificate, as nginx reads it. */
export const setupCertificate = `${certsFolder}/mail.pem`

/** Returns the names of a mail domain at which mail programs ask. */
export const setupNamesOf = (domain: string): string[] => [
  `autoconfig.${domain}`,
  `autodiscover.${domain}`,
]

/** Returns the lines of the map from names to certificates; none without a mail server. */
export const renderSetupCertificate = (host: string | null): string =>
  host === null ? '' : `    ${host} ../certs/mail.pem;\n`

/** Returns the location of names that no website has; empty without a mail server. */
export const renderSetup = (host: string | null): string =>
  host === null
    ? ''
    : `
    # A name that no site has may be one at which mail programs ask.
    error_page 421 = @unnamed;

    location @unnamed {
        error_page 418 @404;
        default_type text/xml;
        access_log off;
        if (!-f ${setupFolder}/$host) {
            return 421;
        }
        if ($uri ~ "^(?:/\\.well-known/autoconfig)?/mail/config-v1\\.1\\.xml$") {
            return 200 '${renderAutoconfig(host)}';
        }
        if ($uri !~* "^/autodiscover/autodiscover\\.xml$") {
            return 404;
        }
        # Outlook takes an answer by HTTPS alone.
        if ($scheme = http) {
            return 302 https://${host}/autodiscover/autodiscover.xml;
        }
        return 200 '${renderAutodiscover(host)}';
    }
`

// The format of Thunderbird; %…% stand for parts of the address that the user has entered.
const renderAutoconfig = (host: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
  <emailProvider id="${host}">
    <domain>%EMAILDOMAIN%</domain>
    <displayName>%EMAILADDRESS%</displayName>
    <displayShortName>%EMAILDOMAIN%</displayShortName>
    <incomingServer type="imap">
      <hostname>${host}</hostname>
      <port>993</port>
      <socketType>SSL</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILADDRESS%</username>
    </incomingServer>
    <outgoingServer type="smtp">
      <hostname>${host}</hostname>
      <port>465</port>
      <socketType>SSL</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILADDRESS%</username>
    </outgoingServer>
  </emailProvider>
</clientConfig>
`

const outlook = 'http://schemas.microsoft.com/exchange/autodiscover'

// The format of Outlook; without a LoginName the address is the name to log in with.
const renderAutodiscover = (host: string): string => `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="${outlook}/responseschema/2006">
  <Response xmlns="${outlook}/outlook/responseschema/2006a">
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
${renderProtocol('IMAP', host, 993)}${renderProtocol('SMTP', host, 465)}\
    </Account>
  </Response>
</Autodiscover>
`

const renderProtocol = (type: string, host: string, port: number): string => `      <Protocol>
        <Type>${type}</Type>
        <Server>${host}</Server>
        <Port>${port}</Port>
        <DomainRequired>off</DomainRequired>
        <SPA>off</SPA>
        <SSL>on</SSL>
        <AuthRequired>on</AuthRequired>
      </Protocol>
`
