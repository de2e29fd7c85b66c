import { t } from '../../texts/texts.ts'

/** The parts of /server. */
export const tabs = () => [
  { label: t('server.health'), address: '/server' },
  { label: t('server.settings'), address: '/server/settings' },
  { label: t('server.signed'), address: '/server/sessions' },
]
