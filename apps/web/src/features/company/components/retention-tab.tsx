import type { CompanyView } from '@thingwright/contracts/company.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { useCompanyChanged } from '../hooks.ts'
import { FormPanel } from './form-panel.tsx'

const LIMITS = {
  telemetryDays: { min: 1, max: 400, unit: 'days' },
  messageLogHours: { min: 1, max: 720, unit: 'hours' },
  auditDays: { min: 180, max: 3650, unit: 'days' },
  signInDays: { min: 30, max: 3650, unit: 'days' },
  alarmDays: { min: 30, max: 3650, unit: 'days' },
  triggerRunDays: { min: 7, max: 3650, unit: 'days' },
} as const

/** How long each kind of data is kept. */
export function RetentionTab({ company, mayWrite }: { company: CompanyView; mayWrite: boolean }) {
  const { t } = useTranslation('company')
  const setRetention = useAct('account.setRetention', { done: useCompanyChanged() })
  const fields = useMemo<Field[]>(
    () =>
      (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).map(key => ({
        kind: 'number',
        integer: true,
        key,
        label: t(`retention.${key}`),
        help: t(`retentionHelp.${key}`),
        min: LIMITS[key].min,
        max: LIMITS[key].max,
        unit: t(LIMITS[key].unit),
        required: true,
        half: true,
      })),
    [t],
  )
  const form = useSchemaForm(fields, { ...company.retention }, { serverPrefix: 'retention.' })
  return (
    <FormPanel
      title={t('tab.data')}
      hint={t('dataHint')}
      form={form}
      disabled={!mayWrite}
      onSave={async values => {
        const next = await setRetention.send({ body: values as Body<'account.setRetention'> })
        form.reset({ ...next.retention })
        notify.success(t('saved'))
      }}
    />
  )
}
