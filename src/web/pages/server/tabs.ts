/** The parts of /server. */
export const tabs = [
  { label: 'Health', address: '/server' },
  { label: 'Settings', address: '/server/settings' },
  { label: 'Signed in', address: '/server/sessions' },
]
