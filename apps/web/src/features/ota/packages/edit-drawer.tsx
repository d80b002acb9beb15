import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { FIRMWARE } from '../hooks.ts'
import { extOf, textFields } from './package-fields.ts'

/** Changes the words about a package; its bytes never change. */
export function EditPackageDrawer({ of, onClose }: { of: FirmwarePackageView; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const update = useAct('firmware.update', { touches: FIRMWARE })
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
        await update.send({ params: { id: of.id }, body: body as Body<'firmware.update'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
