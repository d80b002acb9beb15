import { PlusOutlined } from '@ant-design/icons'
import type { LoraConnectionView } from '@thingwright/contracts/lora.contract'
import { Button, Drawer, Modal, Skeleton, Tag } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { CopyId } from '../../ui/copy-id.tsx'
import { Facts } from '../../ui/panel.tsx'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { CONNECTION_KIND, FEED_KIND, faultText, LORA, useConnections } from './hooks.ts'
import css from './lora.module.css'

const ConnectionForm = lazy(async () => ({ default: (await import('./connection-form.tsx')).ConnectionForm }))

/** The connections of the company to ChirpStack servers: tested, synced, changed. */
export function ConnectionsDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('lora')
  const { query, items } = useConnections()
  const [open, setOpen] = useState<LoraConnectionView | 'new' | null>(null)
  const add = (
    <PermissionGate of="loraConnections.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen('new')}>
        {t('connection.add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <Drawer
        open
        size={640}
        title={t('connection.title')}
        onClose={onClose}
        footer={<div className={css.foot}>{add}</div>}
      >
        <div className={css.stack}>
          <p className={css.quiet}>{t('connection.lead')}</p>
          {query.isError && !query.data ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : query.isPending ? (
            <Skeleton active />
          ) : items.length === 0 ? (
            <EmptyState title={t('connection.emptyTitle')} description={t('connection.emptyText')} />
          ) : (
            items.map(one => <Connection key={one.id} connection={one} onEdit={() => setOpen(one)} />)
          )}
        </div>
      </Drawer>
      <Suspense>
        {open !== null && <ConnectionForm connection={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}

function Connection({ connection, onEdit }: { connection: LoraConnectionView; onEdit: () => void }) {
  const { t } = useTranslation('lora')
  const mayConfigure = useMay('loraConnections.update')
  const maySync = useMay('loraConnections.sync')
  const [removing, setRemoving] = useState(false)
  const test = useAct('loraConnections.test', {
    touches: LORA,
    done: ({ state, fault, remoteTenantName }) => {
      if (state === 'ok') notify.success(t('connection.testOk', { name: remoteTenantName ?? '' }))
      else notify.error(t('connection.testFailed', { text: fault ? faultText(fault) : '' }))
    },
  })
  const sync = useAct('loraConnections.sync', {
    touches: LORA,
    done: ({ profiles, gateways }) => notify.success(t('connection.synced', { profiles, gateways })),
  })
  const callback = useAct('loraConnections.rotateCallback', { touches: LORA })
  const remove = useAct('loraConnections.remove', { touches: LORA, done: () => notify.success(t('removed')) })
  const params = { id: connection.id }
  return (
    <section className={css.connection} aria-label={connection.name}>
      <header className={css.row}>
        <strong dir="auto">{connection.name}</strong>
        {connection.simulated && <Tag>{t('simulated')}</Tag>}
        <StatusTag kind={CONNECTION_KIND[connection.state]}>{t(`connection.states.${connection.state}`)}</StatusTag>
      </header>
      {connection.fault && <p className={css.fault}>{faultText(connection.fault)}</p>}
      {connection.mqtt?.fault && <p className={css.fault}>{`MQTT: ${faultText(connection.mqtt.fault)}`}</p>}
      <Facts
        items={[
          { label: t('connection.url'), value: <code className={css.mono}>{connection.url}</code>, wide: true },
          {
            label: t('connection.tenant'),
            value: connection.remoteTenantName ?? connection.remoteTenantId,
            wide: true,
          },
          ...(connection.mqtt
            ? [
                {
                  label: t('broker.one'),
                  value: (
                    <span className={css.row}>
                      <code className={css.mono}>{`${connection.mqtt.host}:${connection.mqtt.port}`}</code>
                      <StatusTag kind={FEED_KIND[connection.mqtt.state]}>
                        {t(`broker.states.${connection.mqtt.state}`)}
                      </StatusTag>
                    </span>
                  ),
                  wide: true,
                },
              ]
            : []),
          { label: t('connection.profiles'), value: connection.profiles },
          { label: t('connection.gateways'), value: connection.gateways },
          { label: t('connection.testedAt'), value: <TimeText value={connection.testedAt} fallback={t('never')} /> },
          { label: t('connection.syncedAt'), value: <TimeText value={connection.syncedAt} fallback={t('never')} /> },
        ]}
      />
      <div className={css.row}>
        {mayConfigure && (
          <Button
            loading={test.pending}
            disabled={connection.state === 'disabled'}
            onClick={() => void test.run({ params })}
          >
            {t('connection.test')}
          </Button>
        )}
        {maySync && (
          <Button
            loading={sync.pending}
            disabled={connection.state === 'disabled'}
            onClick={() => void sync.run({ params })}
          >
            {t('connection.sync')}
          </Button>
        )}
        {mayConfigure && (
          <>
            <Button loading={callback.pending} onClick={() => void callback.run({ params })}>
              {t('connection.callbackMake')}
            </Button>
            <Button onClick={onEdit}>{t('edit')}</Button>
            <Button danger onClick={() => setRemoving(true)}>
              {t('remove')}
            </Button>
          </>
        )}
      </div>
      {callback.reply && (
        <div className={css.stack}>
          <p className={css.quiet}>{t('connection.callbackHint')}</p>
          <Facts
            items={[
              {
                label: t('connection.callbackUrl'),
                value: <CopyId value={`${location.origin}${callback.reply.path}`} />,
                wide: true,
              },
              {
                label: t('connection.callbackHeader', { name: callback.reply.header }),
                value: <CopyId value={callback.reply.value} />,
                wide: true,
              },
            ]}
          />
        </div>
      )}
      <Modal
        open={removing}
        width={420}
        title={t('connection.removeTitle', { name: connection.name })}
        okText={t('remove')}
        cancelText={t('cancel')}
        okButtonProps={{ danger: true, loading: remove.pending }}
        onOk={() => void remove.run({ params }).then(() => setRemoving(false))}
        onCancel={() => setRemoving(false)}
      >
        <p>{t('connection.removeText')}</p>
      </Modal>
    </section>
  )
}
