import type { ProductView } from '@thingwright/contracts/products.contract'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { showError } from '../../../lib/errors.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useProductChanged } from '../hooks.ts'

/** Takes a product back, after saying what that does to its devices. */
export function UnpublishDialog({
  product,
  onClose,
}: {
  product: Pick<ProductView, 'id' | 'name' | 'onlineCount'>
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const changed = useProductChanged()
  const [busy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      changed(await call('products.unpublish', { params: { id: product.id } }))
      notify.success(t('unpublished', { name: product.name }))
      onClose()
    } catch (error) {
      showError(error)
      setBusy(false)
    }
  }
  return (
    <Modal
      open
      width={440}
      title={t('unpublishTitle', { name: product.name })}
      okText={t('unpublish')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: busy }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <p>{t('unpublishText', { online: formatNumber(product.onlineCount) })}</p>
    </Modal>
  )
}
