import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { streamField } from './stream-field.ts'
import { useDeviceField } from './use-device-field.ts'

/** Adds a camera by the address of its stream: no account is needed. */
export function AddAddress({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('video')
  const create = useAct('videoChannels.create')
  const device = useDeviceField(null)
  const fields = useMemo<Field[]>(
    () => [{ key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 }, streamField(t), device],
    [t, device],
  )
  return (
    <FormDrawer
      title={t('add.address')}
      fields={fields}
      initial={NOTHING}
      submitText={t('add.submit')}
      onSubmit={async values => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        await create.send({ body: given as Body<'videoChannels.create'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
const NOTHING = {}
