import { Button, Segmented, Skeleton } from 'antd'
import { type ComponentType, lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { formatDuration } from '../../../lib/format.ts'
import { may } from '../../../lib/permissions.ts'
import { type ProductTab, productTabs } from '../../../lib/product-tabs.ts'
import { useSession } from '../../../lib/session.ts'
import { groupPath } from '../../../ui/group-tree/tree.ts'
import { useGroups } from '../../../ui/group-tree/use-groups.ts'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { ModelEditor } from '../components/model-editor.tsx'
import { useProduct, useProductId } from '../hooks.ts'
import { UnknownKeysPanel } from '../unknown-keys/unknown-keys-panel.tsx'

const EditProductDrawer = lazy(async () => ({
  default: (await import('../components/edit-product-drawer.tsx')).EditProductDrawer,
}))

/** Tabs of other areas, downloaded when first opened; each stays the same component from one drawing to the next. */
const brought = new Map<string, ComponentType<{ productId: string }>>()
function broughtPage({ key, load }: ProductTab): ComponentType<{ productId: string }> {
  const known = brought.get(key)
  if (known) return known
  const Page = lazy(async () => ({ default: (await load()).Component }))
  brought.set(key, Page)
  return Page
}

/** Basic data and thing model, and beside them what other areas know of the product's devices. */
export function ProductInfoPage() {
  const { t } = useTranslation('products')
  const id = useProductId()
  const [params, setParams] = useSearchParams()
  const rights = useSession(s => s.me?.permissions)
  const others = productTabs().filter(each => may(rights, each.of))
  const open = others.find(each => each.key === params.get('tab'))
  const Page = open && broughtPage(open)
  return (
    <Stack>
      {others.length > 0 && (
        <div>
          <Segmented
            aria-label={t('tabInfo')}
            value={open?.key ?? 'model'}
            options={[
              { value: 'model', label: t('basicsAndModel') },
              ...others.map(({ key }) => ({ value: key, label: t(`shell:deviceTab.${key}`) })),
            ]}
            onChange={key => setParams(key === 'model' ? { id } : { id, tab: key }, { preventScrollReset: true })}
          />
        </div>
      )}
      {Page ? (
        <Suspense fallback={<Skeleton active />}>
          <Page key={id} productId={id} />
        </Suspense>
      ) : (
        <BasicsAndModel />
      )}
    </Stack>
  )
}

function BasicsAndModel() {
  const { t } = useTranslation('products')
  const id = useProductId()
  const product = useProduct(id)
  const groups = useGroups('product')
  const [editing, setEditing] = useState(false)
  const { data } = product
  if (!data) return null
  return (
    <Stack>
      <Panel
        title={t('basics')}
        actions={
          <PermissionGate of="products.update">
            <Button onClick={() => setEditing(true)}>{t('edit')}</Button>
          </PermissionGate>
        }
      >
        <Facts
          items={[
            { label: t('nodeType'), value: t(`node.${data.nodeType}`) },
            { label: t('category'), value: data.category || '–' },
            { label: t('group'), value: (data.groupId && groupPath(groups.data ?? [], data.groupId)) || '–' },
            { label: t('offlineDelay'), value: formatDuration(data.offlineDelaySeconds * 1000) },
            { label: t('createdAt'), value: <TimeText value={data.createdAt} mode="absolute" /> },
            { label: t('updatedAt'), value: <TimeText value={data.updatedAt} mode="absolute" /> },
            ...(data.description ? [{ label: t('description'), value: data.description, wide: true }] : []),
          ]}
        />
      </Panel>
      <ModelEditor key={data.id} product={data} />
      <UnknownKeysPanel key={`unknown-${data.id}`} product={data} />
      <Suspense>{editing && <EditProductDrawer id={id} onClose={() => setEditing(false)} />}</Suspense>
    </Stack>
  )
}
