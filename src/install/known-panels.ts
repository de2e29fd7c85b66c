/** Other panels, by a folder that each has: two panels would undo each other's work. */
export const knownPanels: Record<string, string> = {
  '/etc/keyhelp': 'KeyHelp',
  '/etc/webmin/virtual-server': 'Virtualmin',
  '/home/clp': 'CloudPanel',
  '/opt/psa': 'Plesk',
  '/usr/local/CyberCP': 'CyberPanel',
  '/usr/local/cpanel': 'cPanel',
  '/usr/local/cwpsrv': 'CWP',
  '/usr/local/directadmin': 'DirectAdmin',
  '/usr/local/hestia': 'HestiaCP',
  '/usr/local/ispconfig': 'ISPConfig',
  '/usr/local/mgr5': 'ispmanager',
  '/usr/local/psa': 'Plesk',
  '/usr/local/vesta': 'VestaCP',
  '/var/local/enhance': 'Enhance',
  '/var/www/froxlor': 'Froxlor',
  '/www/server/panel': 'aaPanel',
}
