import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, Outlet, useNavigate } from 'react-router'
import { ApiError } from '../../../lib/api/api-error.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DetailFrame } from '../../../ui/detail-frame.tsx'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import {
  devicesOfProduct,
  PRODUCT_FORMAT,
  PRODUCT_INFO,
  PRODUCT_LINK,
  PRODUCT_LIST,
  PRODUCT_ORDERS,
} from '../addresses.ts'
import { ProductStatus } from '../components/product-status.tsx'
import { useProduct, useProductChanged, useProductId } from '../hooks.ts'

const UnpublishDialog = lazy(async () => ({
  default: (await import('../components/unpublish-dialog.tsx')).UnpublishDialog,
}))
const RemoveProductDialog = lazy(async () => ({
  default: (await import('../components/remove-product-dialog.tsx')).RemoveProductDialog,
}))

/** Head and tabs of one product's pages. */
export function ProductSetFrame() {
  const { t } = useTranslation('products')
  const id = useProductId()
  const product = useProduct(id)
  const changed = useProductChanged()
  const navigate = useNavigate()
  const [asking, setAsking] = useState<'remove' | 'unpublish' | null>(null)
  const publish = useAct('products.publish', {
    touches: [groupsOf('product')],
    done: reply => {
      changed(reply)
      notify.success(t('published', { name: reply.name }))
    },
  })
  const crumbs = [{ title: t('crumb') }, { title: t('title'), to: PRODUCT_LIST }]
  if (id === '' || (product.error instanceof ApiError && product.error.status === 404))
    return (
      <EmptyState
        title={t('notFound')}
        description={t('notFoundText')}
        action={
          <Link to={PRODUCT_LIST}>
            <Button type="primary">{t('backToList')}</Button>
          </Link>
        }
      />
    )
  if (product.error instanceof ApiError && product.error.status === 403) return <NoPermissionState of="products.get" />
  if (product.isError && !product.data)
    return <ErrorState error={product.error} onRetry={() => void product.refetch()} />
  if (!product.data) return <FrameSkeleton />
  const { data } = product
  return (
    <DetailFrame
      crumbs={crumbs}
      icon={<ThingIcon svg={data.icon} size={48} />}
      name={data.name}
      state={<ProductStatus product={data} />}
      facts={[
        { label: t('productKey'), value: <CopyId value={data.productKey} /> },
        { label: t('linkType'), value: t(`link.${data.linkType}`) },
        {
          label: t('devicesOnline'),
          value: (
            <Link to={devicesOfProduct(id)}>
              {formatNumber(data.onlineCount)} / {formatNumber(data.deviceCount)}
            </Link>
          ),
        },
        { label: t('modelVersion'), value: data.modelVersion === 0 ? '–' : `v${data.modelVersion}` },
      ]}
      actions={
        <>
          <PermissionGate of="products.remove">
            <Button danger onClick={() => setAsking('remove')}>
              {t('remove')}
            </Button>
          </PermissionGate>
          <PermissionGate of="products.publish">
            {data.status === 'published' ? (
              <Button onClick={() => setAsking('unpublish')}>{t('unpublish')}</Button>
            ) : (
              !data.modelChanged && (
                <Button type="primary" loading={publish.pending} onClick={() => void publish.run({ params: { id } })}>
                  {t('publish')}
                </Button>
              )
            )}
          </PermissionGate>
        </>
      }
      tabs={[
        { to: PRODUCT_INFO, label: t('tabInfo') },
        { to: PRODUCT_LINK, label: t('tabLink') },
        { to: PRODUCT_FORMAT, label: t('tabFormat') },
        { to: PRODUCT_ORDERS, label: t('tabOrders') },
      ]}
    >
      <Outlet />
      <Suspense>
        {asking === 'unpublish' && <UnpublishDialog product={data} onClose={() => setAsking(null)} />}
        {asking === 'remove' && (
          <RemoveProductDialog
            product={data}
            onClose={() => setAsking(null)}
            onRemoved={() => void navigate(PRODUCT_LIST, { replace: true })}
          />
        )}
      </Suspense>
    </DetailFrame>
  )
}
