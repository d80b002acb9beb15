import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useOnceFresh } from '../../../lib/server-state/use-once-fresh.ts'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useProduct, useProductChanged } from '../hooks.ts'
import { productFields, productValues } from './product-fields.tsx'

/** Basic data of a product. The detail is read first: it is what the version belongs to. */
export function EditProductDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const product = useOnceFresh(useProduct(id))
  return product ? <EditForm product={product} onClose={onClose} /> : null
}

function EditForm({ product, onClose }: { product: ProductDetail; onClose: () => void }) {
  const { t } = useTranslation('products')
  const changed = useProductChanged()
  const update = useAct('products.update', { touches: [groupsOf('product')], always: true, done: changed })
  const fields = useMemo(() => productFields(t, false), [t])
  // What the person sees while he types; later news must not make his answer look as if he had seen them.
  const [seen] = useState(product)
  return (
    <FormDrawer
      title={t('editTitle', { name: seen.name })}
      fields={fields}
      initial={productValues(seen)}
      submitText={t('save')}
      onClose={onClose}
      stored={productValues}
      onSubmit={async (values, newer) => {
        try {
          const body = { ...values, version: newer ?? seen.version } as Body<'products.update'>
          await update.send({ params: { id: seen.id }, body })
        } catch (error) {
          // Opened again, the form begins with what is there now.
          if (error instanceof ApiError && error.code === 'version.conflict')
            changed(error.params.current as ProductDetail)
          throw error
        }
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
