import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { deviceFields } from '../components/device-fields.tsx'
import { useProductCatalogue } from '../hooks.ts'
import { addressField } from './sub-address.ts'

const ASKED = new Set(['productId', 'name', 'deviceNo'])

/** Makes a device and binds it to the gateway. Its secret is not shown: the gateway speaks for it. */
export function AddSubDeviceDrawer({ gateway, onClose }: { gateway: DeviceView; onClose: () => void }) {
  const { t } = useTranslation('sub-devices')
  const bind = useAct('subDevices.bind')
  const create = useAct('devices.create', { touches: [groupsOf('device')] })
  const { t: words } = useTranslation('devices')
  const { choices, setQ, loading } = useProductCatalogue()
  const made = useRef<DeviceView | null>(null)
  const fields = useMemo<Field[]>(
    () => [...deviceFields(words, { choices, setQ, loading }).filter(field => ASKED.has(field.key)), addressField(t)],
    [t, words, choices, setQ, loading],
  )
  return (
    <FormDrawer
      title={t('addTitle')}
      fields={fields}
      initial={{}}
      submitText={t('add')}
      onClose={onClose}
      onSubmit={async values => {
        const { subAddress, ...body } = values as { subAddress?: string | null; productId: string; name: string }
        // What was made stays when only the binding was refused: the second try binds it.
        made.current ??= await create.send({ body })
        const device = made.current
        await bind.send({
          params: { id: gateway.id },
          body: { items: [{ deviceId: device.id, subAddress: subAddress ?? null }] },
        })
        notify.success(t('added', { name: device.name }))
        onClose()
      }}
    />
  )
}
