import { hiding } from '../services/hidden-processes.ts'
import {
  configurationOf,
  extensionsOf,
  programLinkOf,
  uidOf,
  type PhpInstance,
  type SitePhp,
} from './instances.ts'

// The units of PHP.

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

/** Returns the path of the drop-in for one instance's unit. */
export const dropInOf = (instance: PhpInstance): string =>
  `/etc/systemd/system/panel-php@${instance}.service.d/50-panel.conf`

/**
 * A website's PHP runs as its account. What its settings change is in its folder, so this stays the
 * same. Without it the unit does not start, as no user has the name of its instance.
 */
export const renderSiteDropIn = (instance: SitePhp): string => `# Written by the panel, which \
overwrites changes.
[Unit]
Description=PHP of a website of user ${uidOf(instance)}

[Service]
User=${uidOf(instance)}
Group=${uidOf(instance)}
Slice=user-${uidOf(instance)}.slice
Environment=PHP_INI_SCAN_DIR=${extensionsOf(instance)}
ExecStart=
ExecStart=${programLinkOf(instance)} --nodaemonize -y ${configurationOf(instance)}
`

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
# Nor can scripts read the account's mailboxes.
InaccessiblePaths=-/run/systemd/journal -/home/.panel-mail
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
