import type { HandoverResult } from '@thingwright/contracts/end-users.contract'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'

/** Says what a hand-over did: how many devices, which triggers stopped, or that a task does it. */
export function useToldHandover(): (result: HandoverResult) => void {
  const { t } = useTranslation('end-users')
  return ({ done, paused, taskId }) => {
    if (taskId !== null) return notify.success(t('handedByTask'))
    notify.success(t('handed', { count: done }))
    if (paused.length > 0)
      notify.warning(t('pausedTriggers', { count: paused.length, names: paused.map(({ name }) => name).join(', ') }))
  }
}
