// Adminer's entry page: one PHP page that runs the distribution's Adminer on one database. nginx
// alone decides, for each request, which database that is (web.ts).

/** The distribution's Adminer, as one file. */
export const program = '/usr/share/adminer/adminer.php'

/** The folder of the page, with Adminer's own files below it. */
export const folder = '/var/lib/panel/adminer'
export const ownFolder = `${folder}/own`
export const pageFile = `${folder}/index.php`

/**
 * Renders the page. It derives the password from the value that the browser keeps
 * (src/model/databases/open-databases.ts).
 */
export const renderPage = (socket: string): string => `<?php
// Written by the panel, which overwrites changes.
$panel = [
  'user' => $_SERVER['PANEL_USER'] ?? '',
  'database' => $_SERVER['PANEL_DATABASE'] ?? '',
  'key' => $_SERVER['PANEL_KEY'] ?? '',
];
unset($_SERVER['PANEL_KEY']);
if (in_array('', $panel, true)) {
  http_response_code(403);
  exit;
}
if (isset($_POST['logout'])) {
  header('Location: /over', true, 303);
  exit;
}

// Overrides the request: only this server, this user, this database. A parameter named after
// another kind of server would select its driver.
foreach (['server', 'sqlite', 'sqlite2', 'pgsql', 'oracle', 'mssql', 'mongo', 'elastic',
  'clickhouse', 'simpledb', 'firebird', 'imap', 'igdb'] as $name) {
  unset($_GET[$name]);
}
unset($_POST['auth']);
$_GET['username'] = $panel['user'];
$_GET['db'] = $panel['database'];
// No cookie is received or set here: the session belongs to the panel's own.
$_COOKIE = [
  'adminer_sid' => hash_hmac('sha256', 'panel: a session of PHP', $panel['key']),
  'adminer_version' => '0',
];

function adminer_object() {
  global $panel;
  // From version 5 on, Adminer has a namespace.
  $own = 'Adminer\\\\Adminer';
  class_alias(class_exists($own, false) ? $own : 'Adminer', 'PanelBase');

  class PanelAdminer extends PanelBase {
    private $panel;

    function __construct($panel) {
      $this->panel = $panel;
    }

    function credentials(): array {
      $password = hash_hmac('sha256', 'panel: a password of Adminer', $this->panel['key']);
      return ['localhost:${socket}', $this->panel['user'], $password];
    }

    function database(): string {
      return $this->panel['database'];
    }

    function databases($flush = true): array {
      return [$this->panel['database']];
    }

    function login($login, $password) {
      return true;
    }

    // Without a session of the panel, no request gets here.
    function loginForm() {
      echo '<p><a href="/over">Back to the panel</a>';
    }

    // Disables executing a file on the server.
    function importServerPath() {
      return '';
    }
  }

  // No session contains the password itself.
  $_SESSION['pwds']['server'][''][$panel['user']] = '';
  return new PanelAdminer($panel);
}

include '${program}';
`

/** The configuration of Adminer's own PHP, on the socket of its user's number. */
export const renderPool = (socket: string): string => `; Adminer. Written by the panel, which \
overwrites changes.
[global]
error_log = ${ownFolder}/php.log
log_level = error
daemonize = no
process_control_timeout = 10s

[adminer]
listen = ${socket}
pm = ondemand
pm.max_children = 20
pm.process_idle_timeout = 30s
pm.max_requests = 500
request_terminate_timeout = 300s
security.limit_extensions = .php
clear_env = yes
php_admin_value[open_basedir] = ${folder}:${program}
php_admin_value[upload_tmp_dir] = ${ownFolder}
php_admin_value[sys_temp_dir] = ${ownFolder}
php_admin_value[session.save_path] = ${ownFolder}
php_admin_value[session.gc_maxlifetime] = 3600
php_admin_value[session.gc_probability] = 1
php_admin_value[session.gc_divisor] = 100
php_admin_value[session.use_strict_mode] = 0
php_admin_value[upload_max_filesize] = 16M
php_admin_value[post_max_size] = 17M
php_admin_value[memory_limit] = 128M
php_admin_flag[log_errors] = off
php_admin_flag[display_errors] = off
php_admin_flag[allow_url_fopen] = off
php_admin_flag[mysqli.allow_local_infile] = off
php_admin_value[disable_functions] = exec,passthru,shell_exec,system,proc_open,popen,pcntl_exec,\
pcntl_fork,dl,mail,fsockopen,pfsockopen,stream_socket_client,stream_socket_server,\
socket_create,curl_exec,curl_multi_exec,putenv,symlink,link
`
