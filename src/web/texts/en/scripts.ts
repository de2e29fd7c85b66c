// The texts that scripts show (src/web/scripts). The scripts fill in the arguments.

export const scripts = {
  now: 'now',
  ago: '{time} ago',
  in: 'in {time}',
  seconds: '{n} s',
  minutes: '{n} min',
  hours: '{n} h',
  days: '{n} days',
  show: 'Show',
  hide: 'Hide',
  showTimesUtc: 'Show times in UTC',
  showTimesAsUsual: 'Show times as usual',
  copy: 'Copy',
  copied: 'Copied',
  entriesRestored: 'Your entries are here again, except passwords. Check them, then send the form.',
  percentSent: '{n} % sent',
  allSent: 'Everything is sent and being processed.',
  notSent: 'It was not sent to its end. Try again.',
  // The branches are the plural categories of the language.
  suggestions: '{form, select, one {{n} suggestion} other {{n} suggestions}}',
  noSuggestions: 'No suggestions',
  kindOf: '{kind} of {of}',
} as const
