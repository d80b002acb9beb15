import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

/** Adds whom ordinary invoices name. */
export function TitleDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('invoices')
  const create = useAct('invoiceTitles.create')
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'kind',
        kind: 'enum',
        label: t('titleKind'),
        required: true,
        display: 'segmented',
        options: (['company', 'person'] as const).map(value => ({ value, label: t(`titleKinds.${value}`) })),
      },
      { key: 'title', kind: 'string', label: t('titleName'), required: true, maxLength: 100 },
      {
        key: 'taxNo',
        kind: 'string',
        label: t('taxNo'),
        required: true,
        mono: true,
        maxLength: 20,
        visible: values => values.kind === 'company',
      },
      { key: 'email', kind: 'string', label: t('email'), maxLength: 254 },
      { key: 'isDefault', kind: 'bool', label: t('asDefault') },
    ],
    [t],
  )
  return (
    <FormDrawer
      title={t('addTitle')}
      fields={fields}
      initial={{ kind: 'company', isDefault: false }}
      submitText={t('save')}
      onSubmit={async values => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        await create.send({ body: given as Body<'invoiceTitles.create'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
