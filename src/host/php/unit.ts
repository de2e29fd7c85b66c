import { readdirSync } from 'node:fs'
import { hiding } from '../services/hidden-processes.ts'

// The units of the accounts' PHP; their instance is the user number.

/** The socket at which nginx reaches an account's PHP. */
export const socketOf = (uid: number): string => `/run/panel/php/${uid}.sock`

export const configurationOf = (uid: number): string => `/etc/panel/php/${uid}.conf`

/** The copy of an account's configuration that is tested. */
export const testedOf = (uid: number): string => `/run/panel/php/${uid}.test`

/** Exists while running PHP may not have read its file; a restart of the machine removes it. */
export const unreadOf = (uid: number): string => `/run/panel/php/${uid}.unread`

// Links here make systemd start the sockets with the machine; without systemd, the worker reads
// them.
const startFolder = '/etc/systemd/system/sockets.target.wants'

export const startLinkOf = (uid: number): string => `${startFolder}/panel-php@${uid}.socket`

/** Returns the accounts whose PHP should run. */
export const startLinks = (): number[] =>
  readdirSync(startFolder).flatMap(name => {
    const uid = /^panel-php@([1-9][0-9]*)\.socket$/.exec(name)?.[1]
    return uid === undefined ? [] : [Number(uid)]
  })

// PHP ends when idle and starts on demand, any number of times. systemd would take many starts for
// a fault, and close the socket for good.
const unlimited = 'StartLimitIntervalSec=0'

/**
 * The socket is root's and nginx's: an account that owned it could replace it by a link to
 * another's.
 */
export const renderSocket = (): string => `# Written by the panel, which overwrites changes.
[Unit]
Description=PHP socket of user %i
${unlimited}

[Socket]
ListenStream=/run/panel/php/%i.sock
TriggerLimitIntervalSec=0
SocketUser=panel-web
SocketMode=0600
RemoveOnStop=true

[Install]
WantedBy=sockets.target
`

/** Returns the path of the drop-in for one user's unit. */
export const dropInOf = (uid: number): string =>
  `/etc/systemd/system/panel-php@${uid}.service.d/50-panel.conf`

/** Only Adminer's PHP may reach MariaDB's socket this way. */
export const renderAdminerDropIn = (): string => `# Written by the panel, which overwrites changes.
[Service]
PrivateNetwork=true
RestrictAddressFamilies=AF_UNIX
ProtectSystem=strict
ReadWritePaths=/var/lib/panel/adminer/own
InaccessiblePaths=-/home -/etc/panel/tls -/etc/panel/keys -/run/panel/api.sock
MemoryMax=1G
TasksMax=64
`

export const renderService = (php: string): string => `# Written by the panel, which overwrites \
changes.
[Unit]
Description=PHP of user %i
Requires=panel-php@%i.socket
# systemd unloads the unit once it has stopped, even if it failed.
CollectMode=inactive-or-failed
${unlimited}

[Service]
Type=notify
User=%i
Group=%i
Slice=user-%i.slice
# php-fpm inherits the socket from systemd as descriptor 3.
Environment=FPM_SOCKETS=/run/panel/php/%i.sock=3
ExecStart=/usr/sbin/${php} --nodaemonize -y /etc/panel/php/%i.conf
# The default would end all of the account's PHP if one request takes too much memory.
OOMPolicy=continue
# If the worker ends it, the next visitor starts it; failed starts are not retried faster.
Restart=on-failure
RestartSec=2s
TimeoutStopSec=10s
# PHP logs to the account's own log, never to the journal, where each user may get a file of 8 MB
# with the first line, and where a script could displace other users' lines.
StandardOutput=null
StandardError=null
InaccessiblePaths=-/run/systemd/journal
# Nor does systemd log each start and stop there.
LogLevelMax=notice
NoNewPrivileges=true
PrivateTmp=true
PrivateDevices=true
ProtectSystem=full
ProtectControlGroups=true
# It cannot see other users' processes.
${hiding}
# Instead of ProtectKernelTunables=, which mounts a dozen paths at each start.
ReadOnlyPaths=/proc/sys
`
