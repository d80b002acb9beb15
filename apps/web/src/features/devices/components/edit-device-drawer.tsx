import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useOnceFresh } from '../../../lib/server-state/use-once-fresh.ts'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useDevice, useDeviceChanged } from '../hooks.ts'
import { deviceFields, deviceValues } from './device-fields.tsx'

type DeviceChange = Body<'devices.update'>

/** Changes what is said of a device. The device is read first: its version tells whether somebody else was quicker. */
export function EditDeviceDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const device = useOnceFresh(useDevice(id))
  return device ? <EditForm device={device} onClose={onClose} /> : null
}

function EditForm({ device, onClose }: { device: DeviceView; onClose: () => void }) {
  const { t } = useTranslation('devices')
  const changed = useDeviceChanged()
  const update = useAct('devices.update', { touches: [groupsOf('device')], always: true, done: changed })
  const fields = useMemo(() => deviceFields(t), [t])
  // What the person sees while he types; later news must not make his answer look as if he had seen them.
  const [seen] = useState(device)
  return (
    <FormDrawer
      title={t('editTitle', { name: seen.name })}
      fields={fields}
      initial={deviceValues(seen)}
      submitText={t('save')}
      onClose={onClose}
      stored={deviceValues}
      onSubmit={async (values, newer) => {
        try {
          const body = { ...values, version: newer ?? seen.version } as DeviceChange
          await update.send({ params: { id: seen.id }, body })
        } catch (error) {
          // Opened again, the form begins with what is there now.
          if (error instanceof ApiError && error.code === 'version.conflict')
            changed(error.params.current as DeviceView)
          throw error
        }
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
