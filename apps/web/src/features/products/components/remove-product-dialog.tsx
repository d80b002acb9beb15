import type { ProductView } from '@thingwright/contracts/products.contract'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { devicesOfProduct } from '../addresses.ts'
import { PRODUCT_LISTS } from '../hooks.ts'

/** Deletes a product; while it has devices it says so and leads to them instead. */
export function RemoveProductDialog({
  product,
  onClose,
  onRemoved,
}: {
  product: Pick<ProductView, 'id' | 'name' | 'deviceCount'>
  onClose: () => void
  onRemoved?: () => void
}) {
  const { t } = useTranslation('products')
  // What is gone is not asked for again.
  const remove = useAct('products.remove', {
    own: false,
    touches: PRODUCT_LISTS,
    done: () => {
      notify.success(t('removed'))
      onRemoved?.()
      onClose()
    },
  })
  const [refusal, setRefusal] = useState<{ count: number; recycled: number } | null>(
    product.deviceCount > 0 ? { count: product.deviceCount, recycled: 0 } : null,
  )
  if (refusal)
    return (
      <Modal
        open
        title={t('removeBlocked', { name: product.name })}
        onCancel={onClose}
        footer={<Button onClick={onClose}>{t('close')}</Button>}
      >
        <p>{t(refusal.recycled > 0 ? 'removeBlockedBoth' : 'removeBlockedText', refusal)}</p>
        <p>
          {refusal.count > 0 && (
            <Link to={devicesOfProduct(product.id)} onClick={onClose}>
              {t('showDevices', { count: refusal.count })}
            </Link>
          )}
          {refusal.count > 0 && refusal.recycled > 0 && ' · '}
          {refusal.recycled > 0 && (
            <Link to={`/manage/device?tab=recycled&productId=${encodeURIComponent(product.id)}`} onClick={onClose}>
              {t('showRecycled', { count: refusal.recycled })}
            </Link>
          )}
        </p>
      </Modal>
    )
  return (
    <ConfirmTyped
      open
      title={t('removeTitle', { name: product.name })}
      expected={product.name}
      confirmText={t('remove')}
      onCancel={onClose}
      onConfirm={async () => {
        try {
          await remove.send({ params: { id: product.id } })
        } catch (error) {
          if (error instanceof ApiError && error.code === 'product.has_devices')
            setRefusal({ count: Number(error.params.count ?? 0), recycled: Number(error.params.recycled ?? 0) })
          else throw error
        }
      }}
    >
      <p>{t('removeText')}</p>
    </ConfirmTyped>
  )
}
