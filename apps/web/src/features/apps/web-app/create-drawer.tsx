import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

export const SUFFIX = /^[a-z0-9](?:[a-z0-9-]{1,30}[a-z0-9])$/

/** Makes the portal: a name and an address; the rest is set on its page. */
export function CreateDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('apps')
  const create = useAct('webApps.create')
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('webApp.name'), required: true, maxLength: 32 },
      {
        kind: 'string',
        key: 'suffix',
        label: t('webApp.suffix'),
        help: t('webApp.suffixHelp', { origin: window.location.origin }),
        required: true,
        maxLength: 32,
        pattern: SUFFIX,
        patternText: t('webApp.suffixRule'),
        mono: true,
      },
    ],
    [t],
  )
  return (
    <FormDrawer
      title={t('webApp.create')}
      fields={fields}
      initial={{}}
      submitText={t('webApp.create')}
      onSubmit={async values => {
        await create.send({ body: values as Body<'webApps.create'> })
        notify.success(t('webApp.created'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
