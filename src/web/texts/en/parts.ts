import { lines } from '../arguments.ts'

// Parts that several pages have (components/).

export const parts = {
  // components/api-call
  sameApiCall: 'The same as {curl, select, yes {an API call} other {a command}}',
  rootServer: 'or, as root on the server',
  asRootOnThe: 'As root on the server',
  // components/chart
  table: 'As a table',
  // components/chips
  live: 'live',
  // components/code
  copy: 'Copy',
  // components/concerns
  needsAttention: 'Needs attention',
  allConcerns: 'All {concerns, number}',
  nothingNeedsAttention: 'Nothing needs attention.',
  asOf: 'as of {time}',
  // components/connection
  websitesServerOnlyCannot:
    'For websites on this server only: it cannot be reached from elsewhere.',
  server: 'Server',
  theServer: 'the server',
  database: 'Database',
  theDatabase: 'the database',
  user: 'User',
  theUser: 'the user',
  password: 'Password',
  shownWhenWasCreated: 'shown when it was created; set a new one if you have lost it',
  phpPdo: 'PHP with PDO',
  phpMysqli: 'PHP with mysqli',
  // components/databases
  databases: 'Databases',
  exportDatabase: 'Export<hidden> {database}</hidden>',
  importDatabase: 'Import<hidden> into {database}</hidden>',
  removeDatabase: 'Remove<hidden> {database}</hidden>',
  users: 'Users',
  disk: 'Disk',
  full: 'full',
  userReadOnly: '{user} (read only)',
  // components/deliveries
  deliveries: 'Deliveries',
  idTestRedelivery: lines(
    '{id}{isTest, select, yes { · test} other {}}{redeliveryOf, select, yes { · redelivery}',
    'other {}}',
  ),
  selectAllPage: 'Select all on this page',
  retrySelected: 'Retry selected',
  selectId: 'Select {id}',
  webhook: 'Webhook',
  state: 'State',
  attempts: 'Attempts',
  when: 'When',
  event: 'Event',
  // components/delivery-state
  againTime: 'again {time}',
  pending: 'pending',
  // components/delivery
  test: 'test',
  response: 'Response',
  request: 'Request',
  sendAgain: 'Send again',
  cancelledBeforeFirstAttempt: 'Cancelled before the first attempt',
  noAttemptsYet: 'No attempts yet',
  created: 'Created',
  ended: 'Ended',
  notYet: 'not yet',
  redelivery: 'Redelivery of',
  id: 'ID',
  // components/field
  optional: 'optional',
  choose: 'Choose…',
  generateLabel: 'Generate<hidden> {label}</hidden>',
  showLabel: 'Show<hidden> {label}</hidden>',
  exampleShownExample: 'For example: <mono>{shownExample}</mono>',
  // components/findings
  viewJob: 'View job',
  requestedLast15Minutes: 'Requested in the last 15 minutes',
  // components/first-steps
  firstSteps: 'First steps',
  filterStepsDone: '{filter} of {steps} done',
  done: ', done',
  // components/form
  typeConfirmConfirm: 'Type "{confirm}" to confirm',
  back: 'Back',
  cancel: 'Cancel',
  // components/full
  yourDiskFullDiskUsedMb: lines(
    'Your disk is full: {diskUsedMb} of {diskLimitMb} are in use, {parts}. Nothing can be',
    'written to {full} until a tenth is free: delete rows and then optimize the database,',
    'remove files, or ask for a larger package.',
  ),
  // components/history
  history: 'History',
  failedFailed: '{failed, number} failed',
  accountsAndMore:
    '{names}{hasMore, select, yes { and {more, number} more} other {}} · <link>View all</link>',
  othersTimesEarliestTime: '{others, number} times, earliest {time}',
  byChannelFromAddress: 'by {channel}{hasAddress, select, yes {, from {address}} other {}}',
  subject: 'Subject',
  outcome: 'Outcome',
  channel: 'Channel',
  from: 'From',
  panel: 'the panel',
  action: 'Action',
  beingAppliedAccountOpen:
    'being applied to {total, plural, one {# account} other {# accounts}}, {open, number} left',
  appliedAccount: 'applied to {total, plural, one {# account} other {# accounts}}',
  account: '{names, plural, one {# account} other {# accounts}}',
  // components/job-state
  statePaused: '{state}, paused',
  // components/filters
  filters: 'Filters',
  // components/jobs
  jobs: 'Jobs',
  accountTitle: 'Account',
  requested: 'Requested by',
  queued: 'Queued',
  duration: 'Duration',
  job: 'Job',
  // components/meter
  usedOfLimit: lines(
    '{used} of {limit}{isReached, select, yes {, {isCounted, select, yes {none left} other',
    '{full}}} other {}}',
  ),
  // components/no-more
  nothingMoreHere: 'Nothing more here',
  pastLastPageList: 'This is past the last page of the list.',
  goFirstPage: 'Go to the first page',
  // components/older
  olderEntries: 'older entries',
  newest: 'Newest',
  older: 'Older',
  pages: 'Pages',
  // components/outcomes
  lastLatestDeliveriesBad: 'Of the last {latest} deliveries {bad} failed',
  // components/pager
  countAndPage: '{count}{hasPages, select, yes { · page {page} of {pages}} other {}}',
  previous: 'Previous',
  next: 'Next',
  // components/paused
  taskHasBeenPaused:
    '<strong>{task}</strong> has been paused since {time}: none of its jobs start.',
  resume: 'Resume',
  // components/problems
  thereProblemNothingWas:
    'There are {names, plural, one {# problem} other {# problems}}. Nothing was changed yet.',
  // components/room
  hasMaxNoneLeft: '{has} of {max}{isFull, select, yes {, none left} other {}}',
  add: 'Add',
  // components/scripts
  onThisServer: 'On this server',
  foundTime: 'found {time}',
  notCheckedYet: 'not checked yet',
  hookScriptsFoundDisk: 'Hook scripts as found on the disk',
  owner: 'Owner',
  mode: 'Mode',
  outDateMakeSure: lines(
    'This is out of date. Make sure that panel-worker is running and maintenance/snapshot is',
    'not paused.',
  ),
  noHookScripts: 'No hook scripts',
  workerChecksEveryMinute: 'The worker checks every minute',
  executablesOwnedRootFolder: lines(
    'Executables owned by root in {folder}/EVENT.d, such as account.created.d, run on every',
    'such event.',
  ),
  script: 'Script',
  folderItself: 'the folder itself',
  userUid: 'user {uid}',
  // components/sftp-access
  sameSigningHereChange:
    'the same as for signing in here{isSelf, select, yes { · <link>Change</link>} other {}}',
  firstConnectionYourProgram: lines(
    'On the first connection, your program shows the host key. Accept it only if it is the',
    'same as here.',
  ),
  port: 'Port',
  thePort: 'the port',
  username: 'Username',
  theUsername: 'the username',
  address: 'Address',
  theAddress: 'the address',
  hostKey: 'Host key',
  kindHostKey: 'the {kind} host key',
  // components/site-settings
  changeWhat: 'Change<hidden> {what}</hidden>',
  settings: 'Settings',
  none: 'none',
  addAlias: 'Add<hidden> an alias</hidden>',
  removeAlias: 'Remove<hidden> an alias</hidden>',
  addUser: 'Add<hidden> a user</hidden>',
  removeUser: 'Remove<hidden> a user</hidden>',
  nearestIndexPhp: 'the nearest index.php',
  notFound404: 'not found (404)',
  showsSameWebsite: 'shows the same website',
  redirectsNameWithoutWww: 'redirects to the name without www.',
  preferred: 'is preferred',
  notServed: 'is not served',
  hstsHstsSecondsS: 'HSTS {hstsSeconds} s',
  framesFrame: 'frames: {frame}',
  referrerReferrer: 'referrer: {referrer}',
  contentSecurityPolicy: 'content security policy',
  documentRoot: 'Document root',
  howServed: 'how it is served',
  otherPaths: 'Other paths',
  wwwDomain: 'www.{domain}',
  aliases: 'Aliases',
  redirectedNames: 'Redirected names',
  theRedirectedNames: 'the redirected names',
  php: 'PHP',
  defaultVersion: 'the default version',
  redirects: 'Redirects',
  theRedirects: 'the redirects',
  protectedFolders: 'the protected folders',
  securityHeaders: 'Security headers',
  theSecurityHeaders: 'the security headers',
  logs: 'Logs',
  statistics: 'Statistics',
  // components/sites
  settingsDomain: 'Settings<hidden> of {domain}</hidden>',
  domain: 'of {domain}',
  removeDomain: 'Remove<hidden> {domain}</hidden>',
  noWebsitesYourPackage: 'No websites in your package',
  askYourHostingProvider: 'Ask your hosting provider for a larger package.',
  noWebsiteYet: 'No website yet',
  addOneYourDomains: 'Add one of your domains. It is online a moment later.',
  addWebsite: 'Add website',
  sourcesServed: 'Sources served',
  // components/steps
  output: 'Output',
  // components/tabs
  partsPage: 'Parts of this page',
  // components/value
  copyLabel: 'Copy {label}',
  sources: 'Sources',
  channelPage: 'page',
  channelApi: 'API',
  channelCommand: 'command line',
  notExecutable: 'not executable: ignored',
  scriptsRefused:
    '{refused, plural, =0 {All hook scripts run} one {# script does not} other {# scripts do not}}',
  willNotRun: 'will not run',
  willRun: 'will run',
  operatorOf: 'the operator of {serverName}',
  // components/mail-settings
  imap: 'IMAP (SSL/TLS)',
  smtp: 'SMTP (SSL/TLS)',
  manageSieve: 'ManageSieve (STARTTLS)',
  wholeAddress: 'the whole address of the mailbox',
  thePortOf: 'the port of {key}',
  submissionToo: lines(
    'Programs that cannot use port 465 send by port 587 with STARTTLS. Programs that know',
    'ManageSieve edit the filters of a mailbox. The server has no POP3.',
  ),
} as const
