import type { LoraLinkView } from '@thingwright/contracts/lora-links.contract'
import { Alert, Button, Modal, Skeleton, Tag } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { LoraForm } from './lora-form.tsx'
import { useLoraDevice } from './use-lora-device.ts'

const KIND: Record<LoraLinkView['state'], StatusKind> = {
  none: 'never',
  pending: 'processing',
  registered: 'success',
  failed: 'error',
}

/** DevEUI and keys of a LoRaWAN device, and whether ChirpStack has it. */
export function LoraFacts({ deviceId, recycled }: { deviceId: string; recycled: boolean }) {
  const { t } = useTranslation('lora-device')
  const query = useLoraDevice(deviceId)
  const [open, setOpen] = useState<'form' | 'remove' | null>(null)
  const again = useAct('loraLinks.setDevice', { touches: ['loraLinks'] })
  const device = query.data
  const ready = device?.product?.profileId !== undefined && device.product.profileId !== null && device.devEuiValid
  return (
    <Panel
      title={t('title')}
      hint={t('hint')}
      actions={
        device && (
          <>
            {device.state === 'failed' && (
              <PermissionGate of="loraLinks.setDevice">
                <Button
                  loading={again.pending}
                  disabled={recycled || !ready}
                  onClick={() => void again.run({ params: { id: deviceId }, body: { version: device.version } })}
                >
                  {t('again')}
                </Button>
              </PermissionGate>
            )}
            {device.state !== 'none' && (
              <PermissionGate of="loraLinks.removeDevice">
                <Button danger onClick={() => setOpen('remove')}>
                  {t('remove')}
                </Button>
              </PermissionGate>
            )}
            <PermissionGate of="loraLinks.setDevice">
              <Button
                type={device.state === 'none' ? 'primary' : 'default'}
                disabled={recycled || !ready}
                onClick={() => setOpen('form')}
              >
                {t(device.state === 'none' ? 'enterKeys' : 'edit')}
              </Button>
            </PermissionGate>
          </>
        )
      }
    >
      {query.isError && !device ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !device ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : (
        <>
          <Complaints device={device} />
          <Facts
            items={[
              { label: 'DevEUI', value: <CopyId value={device.devEui} /> },
              {
                label: t('state'),
                value: <StatusTag kind={KIND[device.state]}>{t(`states.${device.state}`)}</StatusTag>,
              },
              { label: t('activation'), value: t(`activations.${device.activation}`) },
              { label: 'JoinEUI', value: <code>{device.joinEui}</code> },
              {
                label: t('keys'),
                value:
                  device.keys.length === 0
                    ? t('noKeys')
                    : device.keys.map(name => <Tag key={name}>{t(`keyNames.${name}`)}</Tag>),
              },
              { label: t('frameCounter'), value: t(device.skipFcntCheck ? 'unchecked' : 'checked') },
              { label: t('enabled'), value: t(device.disabled ? 'no' : 'yes') },
              {
                label: t('connection'),
                value: <span dir="auto">{device.connectionName ?? device.product?.connectionName ?? '–'}</span>,
              },
              { label: t('application'), value: <span dir="auto">{device.product?.applicationName ?? '–'}</span> },
              { label: t('profile'), value: <span dir="auto">{device.product?.profileName ?? '–'}</span> },
              {
                label: t('registeredAt'),
                value: device.registeredAt ? <TimeText value={device.registeredAt} /> : '–',
              },
            ]}
          />
        </>
      )}
      {open === 'form' && device && <LoraForm deviceId={deviceId} device={device} onClose={() => setOpen(null)} />}
      {open === 'remove' && <RemoveDialog deviceId={deviceId} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

/** What is in the way of a device at ChirpStack. */
function Complaints({ device }: { device: LoraLinkView }) {
  const { t } = useTranslation('lora-device')
  return (
    <>
      {!device.devEuiValid && <Alert type="warning" showIcon title={t('notDevEui', { deviceNo: device.devEui })} />}
      {!device.product?.profileId && (
        <Alert
          type="warning"
          showIcon
          title={t('noProduct')}
          action={<Link to="/manage/product">{t('toProducts')}</Link>}
        />
      )}
      {device.fault && <Alert type="error" showIcon title={t('fault', { text: device.fault })} />}
    </>
  )
}

function RemoveDialog({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  const { t } = useTranslation('lora-device')
  const remove = useAct('loraLinks.removeDevice', {
    touches: ['loraLinks', 'loraDevices'],
    done: () => {
      notify.success(t('removed'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle')}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id: deviceId } })}
      onCancel={onClose}
    >
      <p>{t('removeText')}</p>
    </Modal>
  )
}
