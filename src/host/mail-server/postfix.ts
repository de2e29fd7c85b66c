import { mailFolder, mailUser } from '../mail/paths.ts'
import type { SharedFile } from '../contract.ts'
import { mailCertificateFile, mapFile, milterSocket } from './paths.ts'

// Postfix: receives mail for mailboxes, and takes mail of those who log in. It trusts no address,
// not even the loopback, which every account shares.

const head = '# Written by the panel, which overwrites changes.\n'

// Megabytes of a message with its encoding.
const messageMb = 50
export const maxRecipients = 100

const lmdb = (name: Parameters<typeof mapFile>[0]): string => `lmdb:${mapFile(name)}`

/** Returns the files of Postfix for a mail server of this name. */
export const postfixFiles = (host: string): SharedFile[] => [
  { path: '/etc/postfix/main.cf', text: renderMain(host) },
  { path: '/etc/postfix/master.cf', text: renderMaster() },
]

/** Addresses to listen on, which Postfix reads at a start, and not at a reload. */
export const listening = `inet_interfaces = all
inet_protocols = all
`

const renderMain = (host: string): string => `${head}compatibility_level = 3.6
myhostname = ${host}
myorigin = $myhostname
# It has no local users, and is no relay.
mydestination =
local_recipient_maps =
local_transport = error:5.1.1 no local mail
mynetworks =
${listening}biff = no
append_dot_mydomain = no
# No header is added for the loopback.
local_header_rewrite_clients =
alias_maps =
alias_database =
notify_classes =
# PHP and cron jobs of accounts have a way of their own, which counts.
authorized_submit_users = root
authorized_flush_users = root
authorized_mailq_users = root

virtual_mailbox_domains = ${lmdb('domains')}
virtual_mailbox_maps = ${lmdb('mailboxes')}
virtual_alias_maps = ${lmdb('aliases')}
virtual_transport = lmtp:unix:private/dovecot-lmtp
recipient_delimiter = +
message_size_limit = ${messageMb * 1_048_576}
mailbox_size_limit = 0
virtual_mailbox_limit = 0
maximal_queue_lifetime = 3d
bounce_queue_lifetime = 1d
hopcount_limit = 30
# Aliases of aliases would multiply what the limit counts.
virtual_alias_expansion_limit = 50

smtpd_banner = $myhostname ESMTP
smtpd_helo_required = yes
disable_vrfy_command = yes
strict_rfc821_envelopes = yes
smtpd_forbid_bare_newline = reject
smtpd_forbid_unauth_pipelining = yes
smtpd_discard_ehlo_keywords = chunking, silent-discard
smtpd_recipient_limit = ${maxRecipients}
smtpd_hard_error_limit = 10
smtpd_client_connection_count_limit = 20
smtpd_client_connection_rate_limit = 120
smtpd_client_auth_rate_limit = 30
smtpd_client_event_limit_exceptions =

# Port 25: mail for mailboxes of this server, from anyone. Logins are taken on 465 and 587 only.
smtpd_sasl_auth_enable = no
smtpd_relay_restrictions = reject_unauth_destination
smtpd_sender_restrictions = reject_non_fqdn_sender
smtpd_recipient_restrictions = reject_non_fqdn_recipient, reject_unlisted_recipient,
  check_policy_service unix:private/quota-status, check_policy_service unix:private/panel-rates
smtpd_data_restrictions = reject_unauth_pipelining
unverified_recipient_reject_code = 550

# Ports 465 and 587.
smtpd_sasl_type = dovecot
smtpd_sasl_path = private/auth
smtpd_sasl_security_options = noanonymous
smtpd_sender_login_maps = ${lmdb('senders')}
submission_sender_restrictions = check_sender_access inline:{{<>=REJECT a sender is required}},
  reject_non_fqdn_sender, reject_sender_login_mismatch
submission_recipient_restrictions = reject_non_fqdn_recipient, reject_unlisted_recipient,
  check_policy_service unix:private/quota-status, check_policy_service unix:private/panel-rates,
  permit_sasl_authenticated, reject
submission_data_restrictions = reject_unauth_pipelining,
  check_policy_service unix:private/panel-rates

# Mail that filters of mailboxes send counts, too. Its sender is the mailbox.
filter_recipient_restrictions = check_policy_service unix:private/panel-rates, permit_mynetworks,
  reject
filter_data_restrictions = check_policy_service unix:private/panel-rates

# Mail of scripts, which the mail service has counted, signed as if it had a login.
script_recipient_restrictions = reject_non_fqdn_recipient, reject_unlisted_recipient,
  check_policy_service unix:private/quota-status, check_policy_service unix:private/panel-rates,
  permit_mynetworks, reject

# A process of Postfix keeps its connection to the counting service no longer than it needs it.
smtpd_policy_service_max_idle = 10s

smtpd_tls_security_level = may
smtpd_tls_chain_files = ${mailCertificateFile}
smtpd_tls_auth_only = yes
smtpd_tls_protocols = >=TLSv1.2
smtpd_tls_mandatory_protocols = >=TLSv1.2
smtpd_tls_received_header = yes
smtp_tls_security_level = may
smtp_tls_CApath = /etc/ssl/certs
tls_preempt_cipherlist = no
tls_ssl_options = NO_RENEGOTIATION

# Rspamd checks all mail, and signs what was sent with a login. If it is down, senders try again.
smtpd_milters = unix:${milterSocket}
non_smtpd_milters =
milter_default_action = tempfail
`

// None of them is locked into the queue's folder: the maps and Rspamd's socket are outside of it.
const services: [name: string, ...fields: string[]][] = [
  ['smtp', 'inet', 'n', 'smtpd'],
  ['pickup', 'unix', 'n', 'pickup', '60', '1'],
  ['cleanup', 'unix', 'n', 'cleanup', '-', '0'],
  ['qmgr', 'unix', 'n', 'qmgr', '300', '1'],
  ['tlsmgr', 'unix', '-', 'tlsmgr', '1000?', '1'],
  ['rewrite', 'unix', '-', 'trivial-rewrite'],
  ['bounce', 'unix', '-', 'bounce', '-', '0'],
  ['defer', 'unix', '-', 'bounce', '-', '0'],
  ['trace', 'unix', '-', 'bounce', '-', '0'],
  ['verify', 'unix', '-', 'verify', '-', '1'],
  ['flush', 'unix', 'n', 'flush', '1000?', '0'],
  ['proxymap', 'unix', '-', 'proxymap'],
  ['proxywrite', 'unix', '-', 'proxymap', '-', '1'],
  ['smtp', 'unix', '-', 'smtp'],
  ['relay', 'unix', '-', 'smtp'],
  ['showq', 'unix', 'n', 'showq'],
  ['error', 'unix', '-', 'error'],
  ['retry', 'unix', '-', 'error'],
  ['discard', 'unix', '-', 'discard'],
  ['lmtp', 'unix', '-', 'lmtp'],
  ['anvil', 'unix', '-', 'anvil', '-', '1'],
  ['scache', 'unix', '-', 'scache', '-', '1'],
  ['postlog', 'unix-dgram', 'n', 'postlogd', '-', '1'],
]

// Field by field: name, type, private, unprivileged, chroot, wakeup, processes, program.
const renderService = ([name, type, closed, program, wakeup = '-', limit = '-']: string[]) =>
  `${name} ${type} ${closed} - n ${wakeup} ${limit} ${program}\n`

const renderMaster = (): string => `${head}${services.map(renderService).join('')}
submission inet n - n - - smtpd
  -o syslog_name=postfix/submission
  -o smtpd_tls_security_level=encrypt
${ofSubmission}
submissions inet n - n - - smtpd
  -o syslog_name=postfix/submissions
  -o smtpd_tls_wrappermode=yes
${ofSubmission}
# Takes what filters of mailboxes send; the folder of its socket is open to Dovecot's mail
# processes. It is not signed: its From may be that of a message from outside.
panel-filters unix n - n - 20 smtpd
  -o syslog_name=postfix/filters
  -o smtpd_tls_security_level=none
  -o smtpd_client_restrictions=
  -o mynetworks=127.0.0.1
  -o smtpd_relay_restrictions=permit_mynetworks,reject
  -o smtpd_sender_restrictions=
  -o smtpd_recipient_restrictions=$filter_recipient_restrictions
  -o smtpd_data_restrictions=$filter_data_restrictions
  -o smtpd_recipient_limit=10
  -o smtpd_client_connection_count_limit=0
  -o smtpd_client_connection_rate_limit=0
  -o smtpd_milters=
# Takes what scripts send from the panel's mail service, which states the account by XCLIENT.
panel-scripts unix n - n - 20 smtpd
  -o syslog_name=postfix/scripts
  -o smtpd_tls_security_level=none
  -o smtpd_client_restrictions=
  -o mynetworks=127.0.0.1
  -o smtpd_authorized_xclient_hosts=127.0.0.1
  -o smtpd_relay_restrictions=permit_mynetworks,reject
  -o smtpd_sender_restrictions=
  -o smtpd_recipient_restrictions=$script_recipient_restrictions
  -o smtpd_data_restrictions=
  -o smtpd_client_connection_count_limit=0
  -o smtpd_client_connection_rate_limit=0
# Counts the recipients of an account, those of its scripts and aliases included.
panel-rates unix - n n - 50 spawn
  user=${mailUser} argv=/usr/bin/perl ${mailFolder}/rates ${mapFile('rates')} ${mapFile('forwards')}
`

const ofSubmission = `  -o smtpd_sasl_auth_enable=yes
  -o smtpd_client_restrictions=
  -o smtpd_helo_restrictions=
  -o smtpd_relay_restrictions=permit_sasl_authenticated,reject
  -o smtpd_sender_restrictions=$submission_sender_restrictions
  -o smtpd_recipient_restrictions=$submission_recipient_restrictions
  -o smtpd_data_restrictions=$submission_data_restrictions`
