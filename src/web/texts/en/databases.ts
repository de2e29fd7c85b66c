import { lines } from '../arguments.ts'

// Databases.

export const databases = {
  // pages/databases/adminer
  adminerOpensAutomaticallyIf:
    'Adminer opens automatically. If it does not, use the link: it works once, within a minute.',
  databaseAdminer: '{database} in Adminer',
  stillProgressLinkBelow:
    'This is still in progress. The link below works for one minute once it is done.',
  viewProgress: 'View progress',
  openAdminer: 'Open Adminer',
  openDatabaseAdminer: 'Open {database} in Adminer',
  adminerShowsEditsTables: lines(
    'Adminer shows and edits tables and rows, runs SQL, and exports the database to a file,',
    'which you can import here or elsewhere. It asks for no password, can access this',
    'database only, and closes after half an hour without use, when you sign out, or when you',
    'close it here.',
  ),
  openInAdminer: 'Open in Adminer',
  closeDatabaseAdminer: 'Close {database} in Adminer',
  runningStatementsStoppedCompleted: 'Running statements are stopped; completed changes stay.',
  close: 'Close',
  databaseWasClosedAdminer: '{database} was closed in Adminer.',
  // pages/databases/database
  adminer: 'Adminer',
  cannotOpenDatabaseBrowser: 'Cannot open the database in the browser: {lack}.',
  viewEditDatabaseYour: lines(
    'View and edit the database in your browser, without a password. Use Export to save a',
    'copy.{isOpen, select, yes { It is open now; opening it again closes the other window’s',
    'session.} other {}}',
  ),
  users: 'Users',
  usersDatabase: 'Users of {database}',
  changeRightsUser: 'Change<hidden> the rights of {user}</hidden>',
  newPasswordUser: 'New password<hidden> of {user}</hidden>',
  noUserHasAccess: 'No user has access. Add one.',
  connection: 'Connection',
  rights: 'Rights',
  password: 'Password',
  import: 'Import',
  optimize: 'Optimize',
  addUser: 'Add user',
  remove: 'Remove',
  user: 'User',
  readWrite: 'read and write',
  readOnly: 'read only',
  noAccess: 'no access',
  // pages/databases/forms
  may: 'May',
  addDatabase: 'Add database',
  databaseReady: 'The database is ready',
  databaseBeingCreated: 'The database is being created',
  optimizeDatabase: 'Optimize {database}',
  deletingRowsDoesNot: lines(
    'Deleting rows does not free disk space by itself. This rewrites each table without the',
    'deleted rows. Websites that write to a table wait meanwhile.',
  ),
  databaseWasOptimized: '{database} was optimized.',
  removeDatabase: 'Remove {database}',
  removeDatabaseTitle: 'Remove database',
  databaseWasRemoved: '{database} was removed.',
  addUserDatabase: 'Add user to {database}',
  suffixLabel: 'Name',
  suffixHint:
    'Up to 16 lower-case letters and digits; your username and an underscore go in front.',
  passwordShownOnce: 'The password is shown once.',
  userReady: 'The user is ready',
  userBeingCreated: 'The user is being created',
  rightsUser: 'Rights of {user}',
  rightsLabel: 'May',
  nothing: 'nothing',
  appliesDatabaseOnlyUser: lines(
    'This applies to {database} only. A user without any database is deleted; running',
    'statements that are no longer allowed are stopped.',
  ),
  save: 'Save',
  rightsUserWereChanged: 'The rights of {user} were changed.',
  newPasswordForUser: 'New password for {user}',
  oldOneStopsWorking: lines(
    'The old one stops working at once: websites cannot connect until they have the new one,',
    'which is generated here and shown once.',
  ),
  generatePassword: 'Generate password',
  passwordWasChanged: 'The password was changed',
  passwordBeingChanged: 'The password is being changed',
  // pages/databases/export
  export: 'Export',
  exportDatabase: 'Export {database}',
  exportExplained: lines(
    'This writes the whole database to a file for you to download: SQL, compressed with gzip. It',
    'can be imported here or elsewhere. Views and routines that are broken are left out.',
  ),
  databaseWasExported: '{database} was exported. Download the file within an hour.',
  exportReady: 'The file is ready. It was written',
  exportKeptUntil: 'It can be downloaded until',
  downloadFile: 'Download {file} ({size})',
  exportNoLongerThere: 'This export is no longer there. Export the database again.',
  // pages/databases/import-file
  fileInHome: 'File in the home folder',
  fileInHomeHint:
    'Its path as SFTP shows it, without a slash in front. The file stays where it is.',
  importFromHome: 'Import a file from your home folder',
  largeFilesBySftp: 'Large files are better uploaded by SFTP:',
  // pages/databases/import
  file: 'File',
  fileLargerThanYour: 'The file is larger than your disk limit of {limitMb} MB.',
  sqlSqlGzSql: '.sql, .sql.gz or .sql.zst, at most {limitMb} MB',
  sent: 'Sent',
  cancel: 'Cancel',
  importIntoDatabase: 'Import into {database}',
  dumpSqlPlainPacked: lines(
    'A dump is SQL, plain or packed with gzip or zstd, as mysqldump, phpMyAdmin and other',
    'panels create it. Unpacked, it may be at most {limitMb} MB.',
  ),
  tablesReplacedIfDump: lines(
    'Tables are replaced if the dump says so; views, routines and triggers become this',
    'database’s own. Statements on other databases are skipped and reported: if the file has',
    'a line such as USE other, remove it first.',
  ),
  dumpWasImportedInto: 'The dump was imported into {database}.',
  importIntoDatabaseFailed:
    'The import into {database} failed, at least in part. Refused: {refused}',
  // pages/databases/list
  databases: 'Databases',
  databasesMaxYourPackage:
    '{databases} of {max} in your package{isFull, select, yes {, none left} other {}}',
  database: '{databases, plural, one {# database} other {# databases}}',
  noDatabasesYourPackage: 'No databases in your package',
  askYourHostingProvider: 'Ask your hosting provider for a larger package.',
  noDatabaseYet: 'No database yet',
  applicationsSuchWordpressNeed: lines(
    'Applications such as WordPress need one. It is ready a moment later, with a user and a',
    'password.',
  ),
  // pages/databases/password
  passwordUserWillNot: lines(
    'This is the password of <strong>{user}</strong>. It will not be shown again: save it in',
    'your website’s configuration now.',
  ),
  stillProgressPasswordBecomes:
    'This is still in progress. The password becomes valid once it is done.',
  passwordUser: 'Password of {user}',
  iveSaved: "I've saved it",
  // pages/databases/words
  databaseNameHint: 'Up to 16 lower-case letters and digits.',
  yourUsernameGoesFront: 'Your username goes in front: shop becomes {name}.',
  databaseUserSameName:
    'A database user of the same name is created too. The password is shown once.',
  allDataDeletedPermanently:
    'All data in it is deleted permanently, and websites that use it stop working.',
  usersWithoutAnotherDatabase: 'Users without another database are deleted too: {gone}.',
  roomMore: '{left, plural, one {# more database} other {# more databases}}',
  roomNumber: '{max, plural, one {# database} other {# databases}}',
  roomNone: 'databases',
} as const
