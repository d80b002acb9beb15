import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useDeviceChanged } from '../hooks.ts'
import { deviceFields, deviceValues } from './device-fields.tsx'

export type DeviceChange = Parameters<typeof call<'devices.update'>>[1]['body']

/** Changes what is said of a device. */
export function EditDeviceDrawer({ device, onClose }: { device: DeviceView; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const changed = useDeviceChanged()
  const fields = useMemo(() => deviceFields(t), [t])
  return (
    <FormDrawer
      title={t('editTitle', { name: device.name })}
      fields={fields}
      initial={deviceValues(device)}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async values => {
        const body = { ...values, version: device.version } as DeviceChange
        changed(await call('devices.update', { params: { id: device.id }, body }))
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
