import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { addressField } from './sub-address.ts'
import { useSubDevicesChanged } from './use-sub-devices.ts'

/** Binds a device that exists to a gateway. */
export function BindDrawer({ gateway, onClose }: { gateway: DeviceView; onClose: () => void }) {
  const { t } = useTranslation('sub-devices')
  const changed = useSubDevicesChanged()
  const [q, setQ] = useState('')
  const found = useRead('devices.list', { query: { limit: 50, ...(q ? { q } : {}) } }, { keep: true })
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'enum',
        key: 'deviceId',
        label: t('device'),
        help: t('deviceHelp'),
        required: true,
        onSearch: setQ,
        loading: found.isFetching,
        options: (found.data?.items ?? [])
          .filter(device => device.id !== gateway.id)
          .map(device => ({ value: device.id, label: `${device.name} · ${device.deviceNo}` })),
      },
      addressField(t),
    ],
    [t, found.data, found.isFetching, gateway.id],
  )
  return (
    <FormDrawer
      title={t('bindTitle')}
      fields={fields}
      initial={{}}
      submitText={t('bind')}
      onClose={onClose}
      onSubmit={async values => {
        const deviceId = values.deviceId as string
        const subAddress = (values.subAddress as string | null | undefined) ?? null
        await call('subDevices.bind', { params: { id: gateway.id }, body: { items: [{ deviceId, subAddress }] } })
        changed(gateway.id)
        notify.success(t('bound'))
        onClose()
      }}
    />
  )
}
