import type { Machine, SharedFile } from '../contract.ts'
import { readFile } from '../tools/files.ts'
import {
  dkimFolder,
  firstUid,
  lastUid,
  mailboxFolder,
  milterFolder,
  outboundFile,
  outboundUnitFile,
  socketGroup,
} from './paths.ts'

// Units of mail hosting: what hardens the distribution's daemons, and the rules for connections
// that accounts make.

const head = '# Written by the panel, which overwrites changes.\n'

/** Ports on which mail servers take mail. */
const smtpPorts = [25, 465, 587]

/**
 * Accounts send by the panel, which counts and signs: connections of theirs to other mail servers
 * are refused. On the loopback is only this server's own.
 */
export const renderOutbound = (): string => `${head}table inet panel_mail
delete table inet panel_mail
table inet panel_mail {
  chain output {
    type filter hook output priority 0; policy accept;
    meta skuid ${firstUid}-${lastUid} \
      oifname != "lo" tcp dport { ${smtpPorts.join(', ')} } counter reject with tcp reset
  }
}
`

const outbound = `${head}[Unit]
Description=Panel: outbound mail of accounts is sent by the panel only
After=nftables.service
PartOf=nftables.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f ${outboundFile}
ExecReload=/usr/sbin/nft -f ${outboundFile}
ExecStop=-/usr/sbin/nft delete table inet panel_mail
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
NoNewPrivileges=yes
CapabilityBoundingSet=CAP_NET_ADMIN
RestrictAddressFamilies=AF_NETLINK AF_UNIX
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`

// Takes away what none of the daemons needs. They start as root, and become other users.
const hardened = `ProtectSystem=full
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateTmp=yes
PrivateDevices=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
SystemCallArchitectures=native
InaccessiblePaths=-/etc/panel/keys -/etc/panel/hooks -/etc/panel/panel.env -/etc/panel/key
InaccessiblePaths=-/run/postgresql -/run/mysqld -/run/panel/api.sock
Restart=on-failure
RestartSec=2s
`

const dovecot = `${head}[Service]
${hardened}NoNewPrivileges=yes
MemoryDenyWriteExecute=yes
# Mailboxes are next to homes.
ReadWritePaths=-${mailboxFolder}
InaccessiblePaths=-${dkimFolder}
MemoryMax=50%
`

// Rspamd compiles patterns and Lua to machine code.
const rspamd = `${head}[Service]
${hardened}NoNewPrivileges=yes
# A reload while it is still starting ends it, which systemd does not take for a failure.
Restart=always
CapabilityBoundingSet=
ProtectHome=yes
ReadWritePaths=${milterFolder}
MemoryHigh=600M
MemoryMax=900M
`

const postfix = `${head}[Service]
${hardened}ProtectHome=yes
InaccessiblePaths=-${dkimFolder}
# Counts of what accounts have sent.
ReadWritePaths=-/var/lib/panel-submit
`

const dropIn = (unit: string): string => `/etc/systemd/system/${unit}.d/50-panel.conf`

// Debian 12 runs Postfix as an instance of a template, and the unit of that name does nothing.
const postfixTemplate = 'postfix@.service'
const postfixService = 'postfix.service'

/** Returns the unit that runs Postfix. */
export const postfixUnit = (machine: Machine): string =>
  readFile(machine.path(`/lib/systemd/system/${postfixService}`))?.includes('=/bin/true')
    ? 'postfix@-.service'
    : postfixService

// Postfix takes mail of scripts on a socket that this group may reach.
const submit = `${head}[Service]
SupplementaryGroups=${socketGroup}
`

/** Rights of the mail service of scripts, which a server without Postfix could not give. */
export const submitDropIn = dropIn('panel-submit.service')

/** Returns the unit files of mail hosting. */
export const unitFiles = (machine: Machine): SharedFile[] => [
  { path: outboundUnitFile, text: outbound },
  { path: dropIn('dovecot.service'), text: dovecot },
  { path: dropIn('rspamd.service'), text: rspamd },
  { path: submitDropIn, text: submit },
  {
    path: dropIn(postfixUnit(machine) === postfixService ? postfixService : postfixTemplate),
    text: postfix,
  },
]

/** The drop-ins that may be on a machine, for the uninstaller. */
export const mailDropIns = [
  ...['dovecot.service', 'rspamd.service', 'postfix.service', postfixTemplate].map(dropIn),
  submitDropIn,
]
