import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../lib/api-client.ts'
import { formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { sendBatch } from './send-batch.ts'

/** Acknowledges alarms at once: it can be taken for nothing else, so nothing is asked. */
export function useAcknowledge(): (ids: readonly string[]) => void {
  const { t } = useTranslation('alarms')
  const { attempt } = useWork({ touches: ['alarms'] })
  return useCallback(
    ids =>
      void attempt(async () => {
        if (ids.length === 1) {
          await call('alarms.ack', { params: { id: ids[0]! }, body: {} })
          return notify.success(t('ackDone', { count: 1, text: '1' }))
        }
        const { done } = await sendBatch({ action: 'ack' }, ids)
        notify.success(t('ackDone', { count: done, text: formatNumber(done) }))
      }),
    [t, attempt],
  )
}
