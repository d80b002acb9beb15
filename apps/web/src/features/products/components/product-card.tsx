import type { ProductView } from '@thingwright/contracts/products.contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import type { RowAction } from '../../../ui/list-page/list-types.ts'
import { RowActions } from '../../../ui/list-page/row-actions.tsx'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import { productAddress } from '../addresses.ts'
import css from './product-card.module.css'
import { ProductStatus } from './product-status.tsx'

/** A product as a card of the list. */
export function ProductCard({ product, actions }: { product: ProductView; actions: RowAction[] }) {
  const { t } = useTranslation('products')
  return (
    <article className={css.card}>
      <div className={css.cardHead}>
        <ThingIcon svg={product.icon} size={40} />
        <div className={css.cardName}>
          <Link to={productAddress(product.id)} title={product.name} dir="auto">
            {product.name}
          </Link>
          <CopyId value={product.productKey} quiet />
        </div>
      </div>
      <dl className={css.cardFacts}>
        <div>
          <dt>{t('state')}</dt>
          <dd>
            <ProductStatus product={product} />
          </dd>
        </div>
        <div>
          <dt>{t('devicesOnline')}</dt>
          <dd>
            {formatNumber(product.onlineCount)} / {formatNumber(product.deviceCount)}
          </dd>
        </div>
        <div>
          <dt>{t('linkType')}</dt>
          <dd>{t(`link.${product.linkType}`)}</dd>
        </div>
      </dl>
      <div className={css.cardFoot}>
        <RowActions actions={actions} />
      </div>
    </article>
  )
}
