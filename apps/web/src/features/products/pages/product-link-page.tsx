import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Alert, Button, Skeleton } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDuration } from '../../../lib/format.ts'
import { loadTexts } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { DEVICE_TOPICS, type DeviceTopic, HTTP_PATHS } from '../device-topics.ts'
import { DialectsPanel } from '../dialects/dialects-panel.tsx'
import { SubDeviceRules } from '../dialects/sub-device-rules.tsx'
import { useProduct, useProductChanged, useProductId } from '../hooks.ts'
import { ProductIdentity } from '../identity/product-identity.tsx'
import { LinkSettingsPanel } from '../product-link/link-settings-panel.tsx'
import { LinkTester } from '../product-link/link-tester.tsx'
import { type LinkView, useLink, useLinkDraft } from '../product-link/use-link-draft.ts'
import { Ways } from '../product-link/ways.tsx'

const RefusedSignIns = lazy(async () => {
  const [part] = await Promise.all([import('../refused-sign-ins/refused-sign-ins.tsx'), loadTexts('diagnose')])
  return { default: part.RefusedSignIns }
})

const NbiotLink = lazy(async () => {
  const [part] = await Promise.all([import('../nbiot-link/nbiot-link.tsx'), loadTexts('nbiot-link')])
  return { default: part.NbiotLink }
})

const LoraLink = lazy(async () => {
  const [part] = await Promise.all([import('../lora-link/lora-link.tsx'), loadTexts('lora-link')])
  return { default: part.LoraLink }
})

/** Link types with a register packet, framing and ports. */
const RAW_LINKS: ReadonlySet<string> = new Set(['tcp', 'udp', 'modbus_rtu', 'modbus_tcp'])

/** How devices of the product connect: addresses, topics, and after which silence they count as offline. */
export function ProductLinkPage() {
  const { t } = useTranslation('products')
  const id = useProductId()
  const { data: product } = useProduct(id)
  const changed = useProductChanged()
  const [editing, setEditing] = useState(false)
  const update = useAct('products.update', {
    touches: [groupsOf('product')],
    done: reply => {
      changed(reply)
      notify.success(t('saved'))
      setEditing(false)
    },
  })
  const access = useRead('devices.productAccess', { params: { id } }, { staleTime: 60_000 })
  const raw = RAW_LINKS.has(product?.linkType ?? '')
  const link = useLink(id, raw)
  // Its devices speak to a platform, not to us: the addresses here are of no use to them.
  const nbiot = product?.linkType === 'nbiot'
  const lorawan = product?.linkType === 'lorawan'
  const beside = nbiot || lorawan
  const prefix = access.data?.topicPrefix ?? ''
  const columns = useMemo<ListColumn<DeviceTopic>[]>(
    () => [
      { key: 'topic', title: t('topic'), minWidth: 360, render: line => <CopyId value={prefix + line.topic} /> },
      {
        key: 'direction',
        title: t('direction'),
        width: 96,
        render: line => `${line.direction === 'up' ? '\u2191' : '\u2193'} ${t(`directions.${line.direction}`)}`,
      },
      { key: 'label', title: t('purpose'), width: 200, render: line => t(`topics.${line.label}`) },
      {
        key: 'payload',
        title: t('payload'),
        width: 300,
        rank: 1,
        render: line => (
          <code style={{ fontSize: 12 }} title={line.payload}>
            {line.payload}
          </code>
        ),
      },
    ],
    [t, prefix],
  )
  if (!product) return null
  const base = access.data?.httpUrl ?? ''
  return (
    <Stack>
      {product.status !== 'published' && <Alert type="warning" showIcon title={t('linkNotPublished')} />}
      {raw && link.isPending && <Skeleton active paragraph={{ rows: 8 }} />}
      {raw && link.isError && !link.data && <ErrorState error={link.error} onRetry={() => void link.refetch()} />}
      {raw && link.data && <RawLink key={`link-${product.id}`} product={product} view={link.data} />}
      {nbiot && (
        <Suspense>
          <NbiotLink key={`nbiot-${product.id}`} productId={product.id} />
        </Suspense>
      )}
      {lorawan && (
        <Suspense>
          <LoraLink key={`lora-${product.id}`} productId={product.id} />
        </Suspense>
      )}
      {access.isPending && <Skeleton active paragraph={{ rows: 6 }} />}
      {access.isError && !access.data && <ErrorState error={access.error} onRetry={() => void access.refetch()} />}
      {access.data && !beside && <Ways product={product} access={access.data} />}
      {!beside && <DialectsPanel product={product} />}
      {product.nodeType === 'gateway' && <SubDeviceRules product={product} />}
      {!beside && <ProductIdentity key={`identity-${product.id}`} product={product} />}
      <Panel
        title={t('offlineRule')}
        hint={t('offlineRuleHint')}
        actions={
          <PermissionGate of="products.update">
            <Button onClick={() => setEditing(true)}>{t('edit')}</Button>
          </PermissionGate>
        }
      >
        <Facts items={[{ label: t('offlineDelay'), value: formatDuration(product.offlineDelaySeconds * 1000) }]} />
      </Panel>
      {!raw && !beside && access.data && (
        <>
          <Panel title={t('mqttTopics')} hint={t('mqttTopicsHint', { prefix })} flush>
            <DataTable
              label={t('mqttTopics')}
              columns={columns}
              rows={DEVICE_TOPICS}
              rowKey={line => line.topic}
              density="dense"
            />
          </Panel>
          <Panel title={t('httpAddresses')} hint={t('httpAddressesHint')}>
            <Facts
              items={HTTP_PATHS.map(({ method, path, label }) => ({
                label: t(`topics.${label}`),
                value: (
                  <>
                    <code>{method}</code> <CopyId value={`${base}/${path}`} />
                  </>
                ),
                wide: true,
              }))}
            />
          </Panel>
        </>
      )}
      {editing && (
        <FormDrawer
          title={t('offlineRule')}
          fields={[
            {
              kind: 'duration',
              key: 'offlineDelaySeconds',
              label: t('offlineDelay'),
              help: t('offlineDelayHelp'),
              required: true,
              min: 10,
              max: 604_800,
            },
          ]}
          initial={{ offlineDelaySeconds: product.offlineDelaySeconds }}
          submitText={t('save')}
          onClose={() => setEditing(false)}
          onSubmit={async values => {
            const offlineDelaySeconds = values.offlineDelaySeconds as number
            await update.send({ params: { id }, body: { version: product.version, offlineDelaySeconds } })
          }}
        />
      )}
      <Suspense>
        <RefusedSignIns productId={id} />
      </Suspense>
    </Stack>
  )
}

/** Settings and tester share what is being edited. */
function RawLink({ product, view }: { product: ProductDetail; view: LinkView }) {
  const draft = useLinkDraft(product.id, view)
  return (
    <>
      <LinkSettingsPanel product={product} view={view} draft={draft} />
      <LinkTester
        productId={product.id}
        productKey={product.productKey}
        settings={draft.settings}
        framing={!product.linkType.startsWith('modbus')}
      />
    </>
  )
}
