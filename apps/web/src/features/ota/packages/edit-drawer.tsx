import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { type Body, call } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useOtaChanged } from '../hooks.ts'
import { extOf, textFields } from './package-fields.ts'

/** Changes the words about a package; its bytes never change. */
export function EditPackageDrawer({ of, onClose }: { of: FirmwarePackageView; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const changed = useOtaChanged()
  const fields = useMemo(() => Object.values(textFields(t)), [t])
  const initial = useMemo(
    () => ({ name: of.name, notes: of.notes, ext: Object.entries(of.ext).map(([key, value]) => ({ key, value })) }),
    [of],
  )
  return (
    <FormDrawer
      title={t('editTitle', { version: of.version })}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ ext, ...values }) => {
        const body = { revision: of.revision, ...values, ext: extOf(ext) }
        await call('firmware.update', { params: { id: of.id }, body: body as Body<'firmware.update'> })
        changed()
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
