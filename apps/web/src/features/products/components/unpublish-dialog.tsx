import type { ProductView } from '@thingwright/contracts/products.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
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
  const { attempt, pending: busy } = useWork()
  const run = async () => {
    await attempt(async () => {
      changed(await call('products.unpublish', { params: { id: product.id } }))
      notify.success(t('unpublished', { name: product.name }))
      onClose()
    })
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
