import { lines } from '../arguments.ts'

// Pages for visitors who are not signed in, and the API reference.

export const signIn = {
  // docs/routes
  thereNoSuchSection: 'There is no such section',
  // plain/code
  enterCurrentCodeFrom:
    'Enter the current code from your authenticator app, or one of your recovery codes.',
  twoFactorAuthentication: 'Two-factor authentication',
  code: 'Code',
  sign: 'Sign in',
  back: 'Back',
  // plain/docs-layout
  titleApiReference: '{title} · API reference',
  skipContent: 'Skip to content',
  panel: '<part></part>Panel',
  apiReference: 'API reference',
  // plain/docs-section
  exampleAnswer: 'Example of the answer',
  answers: 'Answers',
  type: 'Type',
  meaning: 'Meaning',
  fieldsBody: 'Fields of the body',
  name: 'Name',
  required: ', required',
  // plain/docs
  programsCreateManageHosting: lines(
    'Programs create and manage hosting accounts through this HTTP API. All paths are below',
    'the base URL:',
  ),
  eachCallNeedsApi: lines(
    'Each call needs an API token, created under <link>My account</link>. To try one, paste',
    'this into a shell: it asks for the token.',
  ),
  writeTakesIdempotencyKey: lines(
    'A write takes an <code>Idempotency-Key</code>: sent again with the same key, it gets the',
    'stored answer and is not done twice.',
  ),
  programsOpenapiFileWhich: lines(
    'For programs: <link>the OpenAPI file</link>, which this is made from, and <link2>the',
    'written reference</link2> with errors, events and webhooks.',
  ),
  // plain/enrolment
  serverRequiresTwoFactor: lines(
    'This server requires two-factor authentication for administrators and resellers. Scan',
    'the code with an authenticator app, then enter the code that it shows.',
  ),
  withoutCameraTypeInto: 'Without a camera, type this into the app:',
  setUpTwoFactor: 'Set up two-factor authentication',
  secretAuthenticatorApp: 'Secret for the authenticator app',
  // plain/forgotten
  enterYourUsernameE: lines(
    'Enter your username or e-mail address. If it is known here, you will get an e-mail with a',
    'link to choose a new password.',
  ),
  ifSeveralAccountsHave: lines(
    'If several accounts have your e-mail address, each gets its own e-mail. Nothing arrived?',
    'Check your spam folder, or ask {contact}.',
  ),
  serverCannotSendYou: 'This server cannot send you a link. Ask {contact} for a new password.',
  backSign: 'Back to sign-in',
  forgotYourPassword: 'Forgot your password?',
  usernameEMailAddress: 'Username or e-mail address',
  sendLink: 'Send the link',
  // plain/message
  goStartPage: 'Go to the start page',
  // plain/new-password
  effectOfNewPassword: lines(
    'For <strong>{name}</strong>. {isCustomer, select, yes {The password is for SFTP too. }',
    'other {}}All sessions end{hasTokens, select, yes {, and API tokens are revoked} other',
    '{}}; two-factor authentication stays on.',
  ),
  chooseNewPassword: 'Choose a new password',
  newPassword: 'New password',
  newPasswordHint: 'At least 8 characters.',
  changePassword: 'Change password',
  // plain/recovery-codes
  recoveryCodesIntro: lines(
    'Each of these signs you in once if you lose the app. They will not be shown again: print',
    'them or save them in your password manager.',
  ),
  recoveryCodes: 'Recovery codes',
  iveSavedThem: "I've saved them",
  // plain/sign-in
  ifNameDoesNot: lines(
    'If that name does not point to this server yet, add this line to <code>/etc/hosts</code>',
    'of your own computer (Windows: <code>C:\\Windows\\System32\\drivers\\etc\\hosts</code>), then',
    'open it:',
  ),
  iCameHereThrough: 'I came here through a proxy',
  youCannotSignAddress: 'You cannot sign in at this address. Use the panel’s own instead:',
  password: 'Password',
  // plain/sign-on
  linkSignsYouOnce: 'This link signs you in once.',
  signYourHostingAccount: 'Sign in to your hosting account',
  // plain/signed-out
  youHaveBeenSigned: lines(
    'You have been signed out, so this form cannot be sent. <link>Sign in in another',
    'tab</link>, then continue here.',
  ),
  // plain/suspended
  youCannotSignWhile: lines(
    'You cannot sign in while it is suspended. Nothing is deleted: everything is available',
    'again once the suspension is lifted.',
  ),
  askContactAboutReason:
    'Ask <link><bdi>{contact}</bdi></link> about the reason and what to do next.',
  askOperatorServerNameAbout:
    'Ask the operator of {serverName} about the reason and what to do next.',
  accountSuspended: 'This account is suspended',
  // sign-in
  notAllowedFromAddress: 'Not allowed from this address',
  administratorsCanSignFrom: 'Administrators can sign in from the allowed addresses only.',
  usernamePasswordWrongE: lines(
    'The username or password is wrong. An e-mail address that several accounts have does not',
    'sign in: enter the username.',
  ),
  tooManyAttemptsWait: 'Too many attempts. Wait {wait}.',
  codeNotValidRight: 'This code is not valid right now, and it is not an unused recovery code.',
  tooManyWrongCodes: 'Too many wrong codes. Wait a moment.',
  signPanelsOwnPage: "Sign in on the panel's own page, at {origin}/sign-in",
  // sign-on
  notSigned: 'Not signed in',
  pressButtonPageLink: 'Press the button on the page that the link opened.',
  signed: 'Signed in',
  yourAccountAccount: 'Your account is at /account.',
  linkHasExpired: 'This link has expired',
  signLinkWorksOnce: lines(
    'A sign-on link works once, within 60 seconds. Go back to where you found it and request',
    'another.',
  ),
  parameters: 'Parameters',
} as const
