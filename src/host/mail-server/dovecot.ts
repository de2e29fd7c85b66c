import type { SharedFile } from '../contract.ts'
import { mailFolder } from '../mail/paths.ts'
import {
  autoresponderFile,
  filtersFile,
  firstUid,
  mailCertificateFile,
  passwdFolder,
  postfixPrivate,
  sieveFolder,
  socketGroup,
} from './paths.ts'

// Dovecot: mailboxes by IMAP, filters by ManageSieve, logins for Postfix too. Debian 12 has 2.3,
// and Debian 13 has 2.4 with another language.

export const dovecotVersions = ['2.3', '2.4'] as const
export type DovecotVersion = (typeof dovecotVersions)[number]

export const dovecotFile = '/etc/dovecot/dovecot.conf'

/** Mail that Rspamd takes for spam goes to a folder of its own. */
const spamScript = `# Written by the panel, which overwrites changes.
require ["fileinto", "mailbox"];
if header :is "X-Spam" "Yes" {
  fileinto :create "Junk";
  stop;
}
`

export const spamScriptFile = `${sieveFolder}/spam.sieve`

/** Returns the files of Dovecot. */
export const dovecotFiles = (version: DovecotVersion): SharedFile[] => [
  { path: spamScriptFile, text: spamScript },
  { path: dovecotFile, text: version === '2.3' ? render23() : render24() },
]

const head = '# Written by the panel, which overwrites changes.\n'

// IMAP is encrypted from the first byte: 143 and POP3 are closed.
const listeners = `service imap-login {
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = 993
    ssl = yes
  }
  process_limit = 400
}
service managesieve-login {
  inet_listener sieve {
    port = 4190
  }
  process_limit = 50
}
service imap {
  process_limit = 1000
}
service lmtp {
  unix_listener ${postfixPrivate}/dovecot-lmtp {
    mode = 0600
    user = postfix
  }
}
service auth {
  unix_listener ${postfixPrivate}/auth {
    mode = 0600
    user = postfix
  }
}
service quota-status {
  executable = quota-status -p postfix
  client_limit = 1
  unix_listener ${postfixPrivate}/quota-status {
    mode = 0600
    user = postfix
  }
}
`

const folders = ['Drafts', 'Sent', 'Junk', 'Trash']
const special = (name: string): string => `\\${name}`

const inbox = `namespace inbox {
  inbox = yes
${folders
  .map(
    name => `  mailbox ${name} {\n    auto = subscribe\n    special_use = ${special(name)}\n  }\n`,
  )
  .join('')}}
`

// The loopback is every account's, so it is not trusted. Passwords are never logged.
const shared = `listen = *, ::
protocols = imap lmtp sieve
auth_mechanisms = plain login
auth_username_chars = abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@
auth_failure_delay = 2 secs
auth_verbose_passwords = no
login_trusted_networks =
first_valid_uid = ${firstUid}
sendmail_path = /usr/bin/perl ${mailFolder}/filter
mail_max_userip_connections = 20
ssl = required
ssl_min_protocol = TLSv1.2
quota_full_tempfail = yes
`

const overQuota = '552 5.2.2 Mailbox is full'

const render23 = (): string => `${head}${shared}disable_plaintext_auth = yes
auth_username_format = %Lu
ssl_cert = <${mailCertificateFile}
ssl_key = <${mailCertificateFile}
mail_location = maildir:~/Maildir
mail_plugins = $mail_plugins quota
passdb {
  driver = passwd-file
  args = username_format=%u ${passwdFolder}/%d
}
# Filters send by Postfix's sockets. The account's own programs have the group of the account.
userdb {
  driver = passwd-file
  args = username_format=%u ${passwdFolder}/%d
  override_fields = gid=${socketGroup}
}
${inbox}${listeners}protocol lmtp {
  mail_plugins = $mail_plugins sieve
}
protocol imap {
  mail_plugins = $mail_plugins imap_quota
}
protocol sieve {
  managesieve_max_line_length = 65536
}
plugin {
  quota = count:User quota
  quota_vsizes = yes
  quota_grace = 10%%
  quota_status_success = DUNNO
  quota_status_nouser = DUNNO
  quota_status_overquota = "${overQuota}"
  sieve = file:~/sieve;active=~/.dovecot.sieve
  sieve_before = ${spamScriptFile}
  sieve_before2 = file:~/${autoresponderFile}
  sieve_before3 = file:~/${filtersFile}
  sieve_max_script_size = 64k
  sieve_max_actions = 16
  sieve_max_redirects = 4
  sieve_quota_max_scripts = 20
  sieve_quota_max_storage = 256k
  sieve_redirect_envelope_from = recipient
  sieve_vacation_min_period = 1d
}
`

const render24 = (): string => `dovecot_config_version = 2.4.0
dovecot_storage_version = 2.4.0
${head}${shared}auth_allow_cleartext = no
auth_username_format = %{user | lower}
ssl_server_cert_file = ${mailCertificateFile}
ssl_server_key_file = ${mailCertificateFile}
mail_driver = maildir
mail_path = ~/Maildir
mail_plugins {
  quota = yes
}
passdb passwd-file {
  passwd_file_path = ${passwdFolder}/%{user | domain}
}
# Filters send by Postfix's sockets. The account's own programs have the group of the account.
userdb passwd-file {
  passwd_file_path = ${passwdFolder}/%{user | domain}
  fields {
    gid = ${socketGroup}
  }
}
${inbox}${listeners}protocol lmtp {
  mail_plugins {
    sieve = yes
  }
}
protocol imap {
  mail_plugins {
    imap_quota = yes
  }
}
quota "User quota" {
  driver = count
}
quota_storage_grace = 10M
quota_status_success = DUNNO
quota_status_nouser = DUNNO
quota_status_overquota = ${overQuota}
managesieve_max_line_length = 65536
sieve_script personal {
  driver = file
  path = ~/sieve
  active_path = ~/.dovecot.sieve
}
sieve_script before {
  type = before
  driver = file
  path = ${spamScriptFile}
}
sieve_script autoresponder {
  type = before
  driver = file
  path = ~/${autoresponderFile}
}
sieve_script filters {
  type = before
  driver = file
  path = ~/${filtersFile}
}
sieve_max_script_size = 64k
sieve_max_actions = 16
sieve_max_redirects = 4
sieve_quota_script_count = 20
sieve_quota_storage_size = 256k
sieve_redirect_envelope_from = recipient
sieve_vacation_min_period = 1d
`
