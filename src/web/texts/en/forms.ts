import { lines } from '../arguments.ts'

// Forms.

export const forms = {
  passwordNotKept: 'Type the password again: it is not kept when a form is shown again',
  // form-state
  nothingWasChangedYou: lines(
    'Nothing was changed: you have signed in again since you opened this form. Check it, then',
    'send it again.{hasPassword, select, yes { Type passwords again.} other {}}',
  ),
  // form
  typeExactlyConfirm: 'Type exactly "{confirm}"',
  formWasAlreadySent: 'This form was already sent with other values.',
  formWasAlreadySentCheck: 'This form was already sent with other values. Check its result first.',
  viewResult: 'View the result',
  // read-form
  formSentApplicationX: 'A form is sent as application/x-www-form-urlencoded',
  formMustNotContain: 'A form must not contain NUL characters',
  // several
  nothingWasChangedRefused: 'Nothing was changed: {refused}',
  someRefused: '{report}, {count} not: {reason}.',
  // uploads
  serverHasNoFree: 'The server has no free space for the file now',
  fileDidNotArrive: 'The file did not arrive completely: send it again',
  fileLargerThanAccounts: "The file is larger than the account's disk ({limitMb} MB)",
  anotherType: 'Another type',
  fileSentMultipartForm: 'A file is sent as multipart/form-data',
  chooseFileNotEmpty: 'Choose a file that is not empty',
  sendSingleFile: 'Send a single file',
  areRequired: 'are required',
} as const
