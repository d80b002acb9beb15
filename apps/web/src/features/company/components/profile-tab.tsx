import type { CompanyView } from '@thingwright/contracts/company.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import { useCompanyChanged } from '../hooks.ts'
import { FormPanel } from './form-panel.tsx'

const KEYS = ['name', 'contactName', 'contactPhone', 'contactEmail', 'industry', 'region', 'timeZone'] as const

/** Who the company is and how it is reached. */
export function ProfileTab({ company, mayWrite }: { company: CompanyView; mayWrite: boolean }) {
  const { t } = useTranslation('company')
  const update = useAct('account.update', { done: useCompanyChanged() })
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64 },
      { kind: 'string', key: 'contactName', label: t('contactName'), maxLength: 64, half: true, cleared: '' },
      {
        kind: 'string',
        key: 'contactPhone',
        label: t('contactPhone'),
        maxLength: 32,
        pattern: /^[0-9+() -]*$/,
        patternText: t('phoneRule'),
        half: true,
        cleared: '',
      },
      {
        kind: 'string',
        key: 'contactEmail',
        label: t('contactEmail'),
        maxLength: 128,
        pattern: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
        patternText: t('emailRule'),
        half: true,
        cleared: '',
      },
      { kind: 'string', key: 'industry', label: t('industry'), maxLength: 64, half: true, cleared: '' },
      { kind: 'string', key: 'region', label: t('region'), maxLength: 64, half: true, cleared: '' },
      {
        kind: 'enum',
        key: 'timeZone',
        label: t('timeZone'),
        help: t('timeZoneHelp'),
        required: true,
        half: true,
        options: timeZones(company.timeZone).map(value => ({ value, label: value })),
      },
    ],
    [t, company.timeZone],
  )
  const form = useSchemaForm(fields, Object.fromEntries(KEYS.map(key => [key, company[key]])))
  return (
    <Stack>
      <Panel title={t('accountFacts')}>
        <Facts
          items={[
            { label: t('appId'), value: <CopyId value={company.appId} /> },
            { label: t('verification'), value: t(`verified.${company.verification}`) },
            {
              label: t('expiresAt'),
              value: company.expiresAt ? <TimeText value={company.expiresAt} mode="absolute" /> : t('noEnd'),
            },
            ...(company.graceEndsAt
              ? [{ label: t('graceEndsAt'), value: <TimeText value={company.graceEndsAt} mode="absolute" /> }]
              : []),
            { label: t('createdAt'), value: <TimeText value={company.createdAt} mode="absolute" /> },
          ]}
        />
      </Panel>
      <FormPanel
        title={t('tab.profile')}
        form={form}
        disabled={!mayWrite}
        onSave={async values => {
          const body = { ...values, version: company.version } as Body<'account.update'>
          await update.send({ body })
          notify.success(t('saved'))
        }}
      />
    </Stack>
  )
}

/** All zones that the browser knows, and the company's own in any case. */
function timeZones(own: string): string[] {
  return [...new Set([own, 'Asia/Shanghai', 'UTC', ...Intl.supportedValuesOf('timeZone')])]
}
