import type { CompanyDetail } from '@thingwright/contracts/operator.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useCompanyChanged } from '../hooks.ts'

const YEAR_MS = 365 * 86_400_000

/** Activates a company, or gives it another end. */
export function TermDrawer({ company, onClose }: { company: CompanyDetail['company']; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const setTerm = useAct('operator.setTerm', { done: useCompanyChanged() })
  const fields = useMemo<Field[]>(
    () => [
      {
        kind: 'enum',
        key: 'status',
        label: t('state'),
        required: true,
        display: 'segmented',
        options: [
          { value: 'active', label: t('status.active') },
          { value: 'trial', label: t('status.trial') },
        ],
      },
      { kind: 'bool', key: 'noEnd', label: t('noEnd') },
      {
        kind: 'date',
        key: 'expiresAt',
        label: t('expiresAt'),
        required: true,
        visible: values => values.noEnd !== true,
      },
      {
        kind: 'number',
        integer: true,
        key: 'graceDays',
        label: t('graceDays'),
        help: t('graceDaysHelp'),
        min: 0,
        max: 90,
      },
    ],
    [t],
  )
  const end = Math.max(serverNow(), company.expiresAt ? Date.parse(company.expiresAt) : 0) + YEAR_MS
  return (
    <FormDrawer
      title={t(company.status === 'inactive' ? 'activate' : 'extend')}
      fields={fields}
      initial={{
        status: company.status === 'trial' ? 'trial' : 'active',
        noEnd: false,
        expiresAt: end,
        graceDays: company.graceDays,
      }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async values => {
        const { status, noEnd, expiresAt, graceDays } = {
          status: 'active',
          noEnd: false,
          expiresAt: end,
          ...values,
        } as {
          status: 'active' | 'trial'
          noEnd: boolean
          expiresAt: number
          graceDays?: number | null
        }
        const body: Body<'operator.setTerm'> = {
          status: status ?? 'active',
          expiresAt: noEnd ? null : new Date(expiresAt).toISOString(),
          ...(graceDays === undefined ? {} : { graceDays }),
        }
        await setTerm.send({ params: { id: company.id }, body })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
