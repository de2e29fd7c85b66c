import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedFile } from '../contract.ts'
import { dkimFolder, mapFile, milterSocket } from './paths.ts'

// Rspamd: spam scores, and DKIM for what was sent with a login. It has one process for Postfix and
// no TCP port. What an administrator changes in local.d stays, so far as nothing relies on it.

const overrides: Record<string, string> = {
  'options.inc': `# No address is trusted: the loopback is every account's.
local_addrs = ["192.0.2.0/32"];
# Seconds until a new DKIM key is used.
map_watch_interval = 10s;
map_file_watch_multiplier = 0.2;
`,
  'worker-normal.inc': 'enabled = false;\n',
  'worker-controller.inc': 'enabled = false;\n',
  // The folder of the socket is closed to all but Postfix.
  'worker-proxy.inc': `bind_socket = "${milterSocket} mode=0666";
milter = yes;
timeout = 120s;
count = 1;
upstream "local" {
  default = yes;
  self_scan = yes;
}
spam_header = "X-Spam";
`,
  'dkim_signing.conf': `path = "${dkimFolder}/$domain.$selector.key";
selector_map = "${mapFile('dkim-selectors')}";
sign_authenticated = true;
sign_local = false;
use_domain = "header";
use_esld = false;
allow_envfrom_empty = false;
allow_hdrfrom_mismatch = true;
allow_hdrfrom_multiple = false;
allow_username_mismatch = true;
try_fallback = true;
`,
  // It would sign what is only passed on.
  'arc.conf': 'enabled = false;\n',
  // A sender who is asked to try again may be a customer of ours, or a newsletter's.
  'greylist.conf': 'enabled = false;\n',
}

/** Returns the files of Rspamd. */
export const rspamdFiles = (): SharedFile[] => [
  ...Object.entries(overrides).map(([name, text]) => ({
    path: `/etc/rspamd/override.d/${name}`,
    text: `# Written by the panel, which overwrites changes.\n${text}`,
  })),
  {
    path: '/etc/rspamd/rspamd.local.lua',
    text: readFileSync(join(import.meta.dirname, 'from.lua'), 'utf8'),
  },
]
