// Names of files that no visitor gets unless their website is set to serve them, and of those that
// none gets at all.

export const sources = [
  ...['phtml', 'PHTML', 'phar', 'pht', 'phps', 'phpt', 'inc', 'INC', 'sql', 'SQL', 'sql.gz'],
  ...['php3', 'php4', 'php5', 'php7', 'php8', 'sql.bz2', 'sql.zip', 'sql~', 'sql.old', 'sql.1'],
  ...['php~', 'php.bak', 'php.orig', 'php.save', 'php.swp', 'php.swo', 'php.old', 'php.OLD'],
  ...['php.1', 'php.save.1', 'php.2026-11-26', 'php_old', 'php-old', 'php.txt', 'php.dist'],
  ...['php.gz', 'php.zip', 'php (copy)', 'php copy', 'php#', 'php.', 'php ', 'php,v', 'PHP.bak'],
  ...['phpbak', 'php74', 'phpold', 'phpsave', 'PHPOLD', 'phpx', 'php74.bak'],
  ...['inc~', 'inc.bak', 'phtml.bak', 'php.html.bak', 'inc.txt', 'php.suspected'],
]
  .map(end => `hidden.${end}`)
  .concat('composer.json', 'composer.lock', 'composer.json.bak')

export const secrets = [
  ...['auth.json', 'auth.json.bak', 'wp-config.php', 'WP-Config.php', 'wp-config.php.bak'],
  ...['wp-config.php~', 'wp-config.php.save', 'wp-config.old', 'wp-config.txt'],
  ...['.env', '.env.local', '.env.php.bak', '.htaccess', '.git/config', '.user.ini', '.x.php.swp'],
  ...['.htpasswd', '.DS_Store', '.well-known/.env'],
]
