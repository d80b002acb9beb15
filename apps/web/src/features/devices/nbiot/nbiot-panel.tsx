import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { TelecomDeviceView } from '@thingwright/contracts/telecom.contract'
import { Alert, Button, Modal, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'

const KIND: Record<TelecomDeviceView['mirror'], StatusKind> = {
  none: 'never',
  pending: 'processing',
  mirrored: 'success',
  failed: 'error',
  removing: 'processing',
}
const REFRESH_MS = 5_000

/** The numbers of an NB-IoT device, and how it stands at its platform; nothing for other devices. */
export function NbiotPanel({ device }: { device: Pick<DeviceView, 'id' | 'productId' | 'lifecycle'> }) {
  const allowed = useMay('products.get')
  const product = useRead('products.get', { params: { id: device.productId } }, { enabled: allowed, staleTime: 60_000 })
  return product.data?.linkType === 'nbiot' ? <NbiotFacts device={device} /> : null
}

function NbiotFacts({ device }: { device: Pick<DeviceView, 'id' | 'productId' | 'lifecycle'> }) {
  const { t } = useTranslation('nbiot')
  const query = useRead('telecom.device', { params: { id: device.id } }, { refetchInterval: REFRESH_MS })
  const [open, setOpen] = useState<'form' | 'remove' | null>(null)
  const register = useAct('telecom.registerDevice', { touches: ['telecom'] })
  const numbers = query.data
  const recycled = device.lifecycle === 'recycled'
  return (
    <Panel
      title={t('title')}
      hint={t('hint')}
      actions={
        numbers && (
          <>
            {numbers.imei !== null && numbers.platform !== null && numbers.mirror !== 'mirrored' && (
              <PermissionGate of="telecom.registerDevice">
                <Button
                  loading={register.pending}
                  disabled={recycled}
                  onClick={() => void register.run({ params: { id: device.id } })}
                >
                  {t('register')}
                </Button>
              </PermissionGate>
            )}
            {numbers.mirror === 'mirrored' && (
              <PermissionGate of="telecom.unregisterDevice">
                <Button danger onClick={() => setOpen('remove')}>
                  {t('unregister')}
                </Button>
              </PermissionGate>
            )}
            <PermissionGate of="telecom.setDevice">
              <Button disabled={recycled} onClick={() => setOpen('form')}>
                {t('edit')}
              </Button>
            </PermissionGate>
          </>
        )
      }
    >
      {query.isError && !numbers ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !numbers ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : (
        <>
          {numbers.platform === null && (
            <Alert
              type="warning"
              showIcon
              title={t('noPlatform')}
              action={
                <Link to={`/manage/product/ProductSet/ProductSetLink?id=${device.productId}`}>{t('toProduct')}</Link>
              }
            />
          )}
          {numbers.mirrorFault && <Alert type="error" showIcon title={t('fault', { text: numbers.mirrorFault })} />}
          <Facts
            items={[
              { label: 'IMEI', value: numbers.imei ? <CopyId value={numbers.imei} /> : t('notSet') },
              { label: 'IMSI', value: numbers.imsi ?? '–' },
              { label: 'SN', value: numbers.sn ?? '–' },
              { label: 'PSK', value: t(numbers.hasPsk ? 'isSet' : 'notSet') },
              { label: t('key'), value: <span dir="auto">{numbers.keyName ?? '–'}</span> },
              {
                label: t('mirror'),
                value: <StatusTag kind={KIND[numbers.mirror]}>{t(`mirrors.${numbers.mirror}`)}</StatusTag>,
              },
              {
                label: t('platformDevice'),
                value: numbers.platformDevice ? <CopyId value={numbers.platformDevice} /> : '–',
              },
              {
                label: t('lastMessage'),
                value: numbers.lastMessageAt ? <TimeText value={numbers.lastMessageAt} /> : t('never'),
              },
            ]}
          />
        </>
      )}
      {open === 'form' && numbers && (
        <NumbersForm deviceId={device.id} numbers={numbers} onClose={() => setOpen(null)} />
      )}
      {open === 'remove' && <RemoveDialog deviceId={device.id} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

function NumbersForm({
  deviceId,
  numbers,
  onClose,
}: {
  deviceId: string
  numbers: TelecomDeviceView
  onClose: () => void
}) {
  const { t } = useTranslation('nbiot')
  const set = useAct('telecom.setDevice', { touches: ['telecom'] })
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'imei',
        kind: 'string',
        label: 'IMEI',
        maxLength: 15,
        mono: true,
        pattern: /^\d{15}$/,
        patternText: t('digits15'),
        help: t('imeiHelp'),
      },
      {
        key: 'imsi',
        kind: 'string',
        label: 'IMSI',
        maxLength: 15,
        mono: true,
        half: true,
        pattern: /^\d{15}$/,
        patternText: t('digits15'),
      },
      { key: 'sn', kind: 'string', label: 'SN', maxLength: 64, mono: true, half: true },
      {
        key: 'psk',
        kind: 'string',
        label: 'PSK',
        secret: true,
        keepSpaces: true,
        maxLength: 16,
        pattern: /^[\x21-\x7e]{8,16}$/,
        patternText: t('pskRule'),
        ...(numbers.hasPsk ? { placeholder: t('unchanged') } : {}),
        help: t('pskHelp'),
      },
    ],
    [t, numbers.hasPsk],
  )
  const initial = useMemo(
    () => ({ imei: numbers.imei ?? undefined, imsi: numbers.imsi ?? undefined, sn: numbers.sn ?? undefined }),
    [numbers],
  )
  return (
    <FormDrawer
      title={t('title')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ imei, imsi, sn, psk }, newer) => {
        const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
        await set.send({
          params: { id: deviceId },
          body: {
            imei: text(imei),
            imsi: text(imsi),
            sn: text(sn),
            ...(text(psk) === null ? {} : { psk: text(psk) }),
            version: newer ?? numbers.version,
          },
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function RemoveDialog({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  const { t } = useTranslation('nbiot')
  const remove = useAct('telecom.unregisterDevice', {
    touches: ['telecom'],
    done: () => {
      notify.success(t('unregistering'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle')}
      okText={t('unregister')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id: deviceId } })}
      onCancel={onClose}
    >
      <p>{t('removeText')}</p>
    </Modal>
  )
}
