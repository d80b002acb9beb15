import type { ProductView } from '@thingwright/contracts/products.contract'
import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { statusOf } from '../product-words.ts'

const KIND = { published: 'success', changed: 'warning', draft: 'neutral', stopped: 'disabled' } as const

/** State of a product as dot and word; what it means on hover. */
export function ProductStatus({ product }: { product: Pick<ProductView, 'status' | 'modelChanged' | 'modelVersion'> }) {
  const { t } = useTranslation('products')
  const status = statusOf(product)
  return (
    <StatusTag kind={KIND[status]} title={t(`statusHelp.${status}`)}>
      {t(`status.${status}`)}
    </StatusTag>
  )
}
