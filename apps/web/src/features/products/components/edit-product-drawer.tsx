import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useProduct, useProductChanged } from '../hooks.ts'
import { productFields, productValues } from './product-fields.tsx'

/** Basic data of a product. The detail is read first: it is what the version belongs to. */
export function EditProductDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const product = useProduct(id)
  return product.data ? <EditForm product={product.data} onClose={onClose} /> : null
}

function EditForm({ product, onClose }: { product: ProductDetail; onClose: () => void }) {
  const { t } = useTranslation('products')
  const changed = useProductChanged()
  const fields = useMemo(() => productFields(t, false), [t])
  return (
    <FormDrawer
      title={t('editTitle', { name: product.name })}
      fields={fields}
      initial={productValues(product)}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async values => {
        const body = { ...values, version: product.version } as Parameters<typeof call<'products.update'>>[1]['body']
        changed(await call('products.update', { params: { id: product.id }, body }))
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
