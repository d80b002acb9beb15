import { useQuery } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { formatDuration } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { devicesOfProduct } from '../addresses.ts'
import { DEVICE_TOPICS, type DeviceTopic, HTTP_PATHS } from '../device-topics.ts'
import { useProduct, useProductChanged, useProductId } from '../hooks.ts'

/** How devices of the product connect: addresses, topics, and after which silence they count as offline. */
export function ProductLinkPage() {
  const { t } = useTranslation('products')
  const id = useProductId()
  const { data: product } = useProduct(id)
  const changed = useProductChanged()
  const [editing, setEditing] = useState(false)
  // Addresses are the same for all devices of the installation: those of any one are shown.
  const access = useQuery({
    queryKey: ['products', 'access', id],
    queryFn: async ({ signal }) => {
      const own = await call('devices.list', { query: { limit: 1, productId: id }, signal })
      const [device] =
        own.items.length > 0 ? own.items : (await call('devices.list', { query: { limit: 1 }, signal })).items
      return device ? call('devices.access', { params: { id: device.id }, signal }) : null
    },
    staleTime: 300_000,
  })
  const prefix = `things/${product?.productKey ?? ''}/{deviceNo}/`
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
  const host = access.data?.host ?? window.location.hostname
  const http = access.data?.httpUrl ?? `${window.location.origin}/device`
  const base = `${http.replace(/\/$/, '')}/v1/${product.productKey}/{deviceNo}`
  return (
    <Stack>
      {product.status !== 'published' && <Alert type="warning" showIcon title={t('linkNotPublished')} />}
      <Panel title={t('addresses')} hint={t('addressesHint')}>
        {access.isSuccess && access.data === null && (
          <p>
            {t('addressesGuess')} <Link to={`${devicesOfProduct(id)}&create=1`}>{t('next.device')}</Link>
          </p>
        )}
        <Facts
          items={[
            { label: 'MQTT', value: <CopyId value={`mqtt://${host}:${access.data?.mqttPort ?? 1883}`} /> },
            ...(access.data === undefined || access.data?.mqttsPort !== null
              ? [{ label: 'MQTT (TLS)', value: <CopyId value={`mqtts://${host}:${access.data?.mqttsPort ?? 8883}`} /> }]
              : []),
            {
              label: 'MQTT (WebSocket)',
              value: (
                <CopyId
                  value={
                    access.data?.wsUrl ??
                    `${window.location.protocol === 'https:' ? 'wss' : 'ws'}://${window.location.host}/mqtt`
                  }
                />
              ),
            },
            { label: 'HTTP', value: <CopyId value={base} /> },
            { label: t('username'), value: <CopyId value={`${product.productKey}/{deviceNo}`} /> },
            { label: t('password'), value: t('passwordIs') },
          ]}
        />
      </Panel>
      <Panel
        title={t('offlineRule')}
        hint={t('offlineRuleHint')}
        actions={
          <PermissionGate permission="product:write">
            <Button onClick={() => setEditing(true)}>{t('edit')}</Button>
          </PermissionGate>
        }
      >
        <Facts items={[{ label: t('offlineDelay'), value: formatDuration(product.offlineDelaySeconds * 1000) }]} />
      </Panel>
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
            changed(
              await call('products.update', {
                params: { id },
                body: { version: product.version, offlineDelaySeconds },
              }),
            )
            notify.success(t('saved'))
            setEditing(false)
          }}
        />
      )}
    </Stack>
  )
}
