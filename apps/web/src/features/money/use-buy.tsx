import { type ReactNode, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { MONEY } from './hooks.ts'
import { PayDialog } from './pay/pay-dialog.tsx'

/** Orders something of the catalogue and opens the dialog that pays for it. */
export function useBuy(onDone?: () => void): {
  buy: (sku: string, quantity?: number) => void
  pending: boolean
  dialog: ReactNode
} {
  const { t } = useTranslation('money')
  const [paying, setPaying] = useState<string | null>(null)
  const create = useAct('purchaseOrders.create', {
    touches: MONEY,
    done: order => {
      if (order.state === 'pending') setPaying(order.id)
      else notify.success(t('pay.done'))
    },
  })
  const { run } = create
  const buy = useCallback((sku: string, quantity = 1) => void run({ body: { items: [{ sku, quantity }] } }), [run])
  return {
    buy,
    pending: create.pending,
    dialog: paying && (
      <PayDialog
        orderId={paying}
        onDone={() => {
          notify.success(t('pay.done'))
          onDone?.()
        }}
        onClose={() => setPaying(null)}
      />
    ),
  }
}
