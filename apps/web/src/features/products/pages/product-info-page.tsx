import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDuration } from '../../../lib/format.ts'
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

/** Basic data and thing model. */
export function ProductInfoPage() {
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
