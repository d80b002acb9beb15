import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../lib/api-client.ts'
import { useWork } from '../../lib/server-state/use-work.ts'

/** Saves the receipt of a paid order or top-up as a PDF. */
export function useReceipt(): { pending: boolean; save: (order: { id: string; no: string }) => void } {
  const { t } = useTranslation('money')
  const { attempt, pending } = useWork()
  const save = useCallback(
    ({ id, no }: { id: string; no: string }) =>
      void attempt(() => download('purchaseOrders.receipt', `${t('order.receipt')}-${no}.pdf`, { params: { id } })),
    [attempt, t],
  )
  return { pending, save }
}
