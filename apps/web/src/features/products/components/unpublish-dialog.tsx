import type { ProductView } from '@thingwright/contracts/products.contract'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
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
  const unpublish = useAct('products.unpublish', {
    touches: [groupsOf('product')],
    done: reply => {
      changed(reply)
      notify.success(t('unpublished', { name: product.name }))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={440}
      title={t('unpublishTitle', { name: product.name })}
      okText={t('unpublish')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: unpublish.pending }}
      onOk={() => void unpublish.run({ params: { id: product.id } })}
      onCancel={onClose}
    >
      <p>{t('unpublishText', { online: formatNumber(product.onlineCount) })}</p>
    </Modal>
  )
}
