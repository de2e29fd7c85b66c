import { lines } from '../arguments.ts'

// Sizes, times, and sentences that several pages have. Names of units are short.

export const words = {
  mb: '{value, number} MB',
  gb: '{value, number} GB',
  tb: '{value, number} TB',
  pb: '{value, number} PB',
  milliseconds: '{n, number} ms',
  seconds: '{n, number} s',
  minutes: '{n, number} min',
  hours: '{n, number} h',
  days: '{n, plural, one {# day} other {# days}}',
  waitMinutes: '{n, plural, one {# minute} other {# minutes}}',
  waitSeconds: '{n, plural, one {# second} other {# seconds}}',
  now: 'now',
  ago: '{time} ago',
  in: 'in {time}',
  parts: '{files} by files and {databases} by databases',
  attention: lines(
    '{concerns, plural, =0 {Nothing needs attention} one {# thing needs attention}',
    'other {# things need attention}}',
  ),
  failedInList: lines(
    '{failed, number} of the {all, number} {kind, select, deliveries {deliveries} other {jobs}}',
    'in this list failed',
  ),
  securedSites: lines(
    '{secure, number} of {all, plural, one {# website is} other {# websites are}} secure',
  ),
  unknownBrowser: 'Unknown browser',
  browserOn: '{program} on {system}',
  none: 'none',
  megabytes: 'MB',
  secondsUnit: 's',
  // The room that a package leaves
  yourPackage: 'Your package',
  package: 'Package {name}',
  roomLeft: '{name} has room for {more}.',
  noneAllowed: lines(
    '{name} allows no {things}: {who, select, self {ask your hosting provider for a larger one}',
    'other {change its package}}.',
  ),
  noMoreAllowed: lines(
    '{name} allows {things}, and {who, select, self {you already have that many: remove one, or',
    'ask your hosting provider for a larger one} other {the account already has that many:',
    'remove one, or change its package}}.',
  ),
} as const
