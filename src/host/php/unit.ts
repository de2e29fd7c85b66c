import { readdirSync } from 'node:fs'

// The units that keep the accounts' PHP; their instance is the number of the user.

/** Where nginx finds an account's PHP. */
export const socketOf = (uid: number): string => `/run/panel/php/${uid}.sock`

export const configurationOf = (uid: number): string => `/etc/panel/php/${uid}.conf`

/** Is there while PHP that runs may not have read its file; gone with a restart of the machine. */
export const unreadOf = (uid: number): string => `/run/panel/php/${uid}.unread`

// Links here have systemd start the sockets with the machine; where there is no systemd, they tell
// the worker the same.
const startFolder = '/etc/systemd/system/sockets.target.wants'

export const startLinkOf = (uid: number): string => `${startFolder}/panel-php@${uid}.socket`

/** The accounts whose PHP is to run. */
export const startLinks = (): number[] =>
  readdirSync(startFolder).flatMap(name => {
    const uid = /^panel-php@([1-9][0-9]*)\.socket$/.exec(name)?.[1]
    return uid === undefined ? [] : [Number(uid)]
  })

/** The socket is root's and nginx's: its owner could put a link to a neighbour's in its place. */
export const renderSocket = (): string => `# Written by the panel, which overwrites changes.
[Unit]
Description=PHP socket of user %i

[Socket]
ListenStream=/run/panel/php/%i.sock
SocketUser=panel-web
SocketMode=0600
RemoveOnStop=true

[Install]
WantedBy=sockets.target
`

export const renderService = (php: string): string => `# Written by the panel, which overwrites \
changes.
[Unit]
Description=PHP of user %i
Requires=panel-php@%i.socket
# One that has failed is forgotten when it is stopped, as one that has not.
CollectMode=inactive-or-failed

[Service]
Type=notify
User=%i
Group=%i
Slice=user-%i.slice
# php-fpm takes over the socket that systemd hands it as number 3.
Environment=FPM_SOCKETS=/run/panel/php/%i.sock=3
ExecStartPre=/usr/sbin/${php} -t -y /etc/panel/php/%i.conf
ExecStart=/usr/sbin/${php} --nodaemonize -y /etc/panel/php/%i.conf
ExecReload=/usr/sbin/${php} -t -y /etc/panel/php/%i.conf
ExecReload=/bin/kill -USR2 $MAINPID
# The default would end the whole account's PHP when one request takes too much memory.
OOMPolicy=continue
Restart=always
TimeoutStopSec=10s
# What it says is in the account's own log, never in the journal, where each user that says a line
# may get a file of 8 MB, and where a script could push out what others have said.
StandardOutput=null
StandardError=null
InaccessiblePaths=-/run/systemd/journal
NoNewPrivileges=true
PrivateTmp=true
PrivateDevices=true
ProtectSystem=full
ProtectKernelTunables=true
ProtectControlGroups=true
`
