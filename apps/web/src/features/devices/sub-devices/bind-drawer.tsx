import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { addressField } from './sub-address.ts'

/** Binds a device that exists to a gateway. */
export function BindDrawer({ gateway, onClose }: { gateway: DeviceView; onClose: () => void }) {
  const { t } = useTranslation('sub-devices')
  const bind = useAct('subDevices.bind')
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
        await bind.send({ params: { id: gateway.id }, body: { items: [{ deviceId, subAddress }] } })
        notify.success(t('bound'))
        onClose()
      }}
    />
  )
}
