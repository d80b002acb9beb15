import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { saidText } from './hooks.ts'

/** Verifies a key and says what its platform said. */
export function useVerify() {
  const { t } = useTranslation('telecom')
  return useAct('telecom.verify', {
    done: reply => {
      if (reply.state === 'ok') notify.success(t('verifyOk'))
      else notify.error(t('verifyFailed', { text: saidText(reply) }))
    },
  })
}
