import type { ProductView } from '@thingwright/contracts/products.contract'
import type { TFunction } from 'i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { productAddress } from '../addresses.ts'
import { statusOf } from '../product-words.ts'
import { ProductStatus } from './product-status.tsx'

type T = TFunction<'products'>
type Column = ListColumn<ProductView>

const name = (t: T, linked: boolean): Column => ({
  key: 'name',
  title: t('name'),
  minWidth: 208,
  required: true,
  sortKey: 'name',
  render: product => (
    <NameCell
      name={product.name}
      id={product.productKey}
      {...(linked ? { to: productAddress(product.id) } : {})}
      icon={<ThingIcon svg={product.icon} size={28} />}
    />
  ),
  csv: product => product.name,
})

const linkType = (t: T): Column => ({
  key: 'linkType',
  title: t('linkType'),
  width: 104,
  rank: 4,
  render: product => t(`link.${product.linkType}`),
  csv: product => t(`link.${product.linkType}`),
})

const nodeType = (t: T): Column => ({
  key: 'nodeType',
  title: t('nodeType'),
  width: 116,
  rank: 2,
  render: product => t(`node.${product.nodeType}`),
  csv: product => t(`node.${product.nodeType}`),
})

const category = (t: T): Column => ({
  key: 'category',
  title: t('category'),
  width: 128,
  rank: 1,
  render: product => <span title={product.category}>{product.category || '–'}</span>,
  csv: product => product.category,
})

/** Columns of the products at work. */
export function productColumns(t: T): Column[] {
  return [
    name(t, true),
    {
      key: 'productKey',
      title: t('productKey'),
      width: 140,
      initiallyHidden: true,
      render: product => product.productKey,
      csv: product => product.productKey,
    },
    {
      key: 'state',
      title: t('state'),
      width: 148,
      render: product => <ProductStatus product={product} />,
      csv: product => t(`status.${statusOf(product)}`),
    },
    {
      key: 'devices',
      title: t('devicesOnline'),
      width: 120,
      align: 'right',
      render: product => (
        <span title={t('devicesOnlineHelp')}>
          {formatNumber(product.onlineCount)} / {formatNumber(product.deviceCount)}
        </span>
      ),
      csv: product => `${product.onlineCount}/${product.deviceCount}`,
    },
    linkType(t),
    nodeType(t),
    {
      key: 'modelVersion',
      title: t('modelVersion'),
      width: 96,
      rank: 3,
      align: 'right',
      render: product => (product.modelVersion === 0 ? '–' : `v${product.modelVersion}`),
      csv: product => product.modelVersion,
    },
    category(t),
    {
      key: 'updatedAt',
      title: t('updatedAt'),
      width: 132,
      sortKey: 'updatedAt',
      render: product => <TimeText value={product.updatedAt} />,
      csv: product => formatDateTime(product.updatedAt),
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 132,
      sortKey: 'createdAt',
      initiallyHidden: true,
      render: product => <TimeText value={product.createdAt} />,
      csv: product => formatDateTime(product.createdAt),
    },
  ]
}

export function recycledColumns(t: T): Column[] {
  return [
    name(t, false),
    linkType(t),
    nodeType(t),
    category(t),
    {
      key: 'deletedAt',
      title: t('deletedAt'),
      width: 140,
      render: product => <TimeText value={product.deletedAt} />,
      csv: product => (product.deletedAt ? formatDateTime(product.deletedAt) : ''),
    },
  ]
}
