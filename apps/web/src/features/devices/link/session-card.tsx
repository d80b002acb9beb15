import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { every } from '../../../lib/every.ts'
import { epochOf, formatBytes, formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { useLiveReads } from '../../../lib/live-reads.ts'
import { notify } from '../../../lib/notify.ts'
import { only } from '../../../lib/server-state/keys.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { useNow } from '../../../ui/ticker.ts'
import { connectionName } from '../../../ui/transport-words.ts'
import css from './link.module.css'

const EVERY_MS = 10_000

/** The connection that the device holds now, and its end. */
export function SessionCard({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const reads = useLiveReads(
    [`device/${device.id}/state`],
    only('devices.session', { params: { id: device.id } }),
    () => 'again',
  )
  const session = useRead(
    'devices.session',
    { params: { id: device.id } },
    { refetchInterval: every(EVERY_MS), through: reads.read },
  )
  const now = useNow()
  const [asking, setAsking] = useState(false)
  const kick = useAct('devices.kick', {
    done: () => {
      notify.success(t('kicked'))
      setAsking(false)
    },
  })
  const s = session.data?.session
  return (
    <Panel
      title={t('session')}
      actions={
        s && (
          <PermissionGate of="devices.kick">
            <Button danger onClick={() => setAsking(true)}>
              {t('kick')}
            </Button>
          </PermissionGate>
        )
      }
    >
      {session.isError && !session.data ? (
        <ErrorState error={session.error} onRetry={() => void session.refetch()} />
      ) : session.isPending ? (
        <div className={css.factsBone} />
      ) : !s ? (
        <EmptyState title={t('noSession')} description={t('noSessionText')} />
      ) : (
        <Facts
          items={[
            { label: t('transport'), value: connectionName(s.transport, s.protocolVersion) },
            ...(s.clientId === '' ? [] : [{ label: t('clientId'), value: <CopyId value={s.clientId} /> }]),
            { label: t('clientAddress'), value: <CopyId value={s.address} /> },
            {
              label: t('connectedAt'),
              value: (
                <span title={formatDateTime(s.connectedAt)}>
                  {formatDuration(Math.max(0, now - (epochOf(s.connectedAt) ?? now)))}
                </span>
              ),
            },
            { label: t('keepAlive'), value: s.keepAliveSeconds === 0 ? t('off') : `${s.keepAliveSeconds} s` },
            {
              label: t('trafficIn'),
              value: t('traffic', { messages: formatNumber(s.messagesIn), bytes: formatBytes(s.bytesIn) }),
            },
            {
              label: t('trafficOut'),
              value: t('traffic', { messages: formatNumber(s.messagesOut), bytes: formatBytes(s.bytesOut) }),
            },
            // Others speak no topics: commands reach them all the same.
            ...(s.transport.startsWith('mqtt')
              ? [
                  {
                    label: t('subscriptions'),
                    wide: true,
                    value:
                      s.subscriptions.length === 0 ? (
                        t('noSubscriptions')
                      ) : (
                        <ul className={css.plainList}>
                          {s.subscriptions.map(each => (
                            <li key={each.filter}>
                              <CopyId value={each.filter} quiet /> <small>QoS {each.qos}</small>
                            </li>
                          ))}
                        </ul>
                      ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <Modal
        open={asking}
        width={420}
        title={t('kickTitle')}
        okText={t('kick')}
        cancelText={t('cancel')}
        okButtonProps={{ danger: true, loading: kick.pending }}
        onOk={() => void kick.run({ params: { id: device.id } })}
        onCancel={() => setAsking(false)}
      >
        <p>{t('kickText')}</p>
      </Modal>
    </Panel>
  )
}
