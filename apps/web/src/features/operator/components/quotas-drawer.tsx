import type { CompanyQuotas } from '@thingwright/contracts/company-settings'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useCompanyChanged } from '../hooks.ts'

const KINDS = [
  'devices',
  'products',
  'members',
  'mediaMib',
  'messagesPerDay',
  'messagesPerSecond',
  'pointsPerDay',
] as const
const MAX = {
  devices: 10_000_000,
  products: 100_000,
  members: 100_000,
  mediaMib: 2 ** 30,
  messagesPerDay: 10_000_000_000,
  messagesPerSecond: 1_000_000,
  pointsPerDay: 1_000_000_000_000,
}
const MIB = 1024 ** 2

/** How much the company may hold. */
export function QuotasDrawer({ id, quotas, onClose }: { id: string; quotas: CompanyQuotas; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const setQuotas = useAct('operator.setQuotas', { done: useCompanyChanged() })
  const fields = useMemo<Field[]>(
    () =>
      KINDS.map(key => ({
        kind: 'number',
        integer: true,
        key,
        label: t(`quota.${key === 'mediaMib' ? 'mediaBytes' : key}`),
        min: key === 'messagesPerSecond' ? 1 : 0,
        max: MAX[key],
        half: true,
        ...(key === 'mediaMib' ? { unit: 'MB' } : {}),
      })),
    [t],
  )
  const { mediaBytes, ...rest } = quotas
  return (
    <FormDrawer
      title={t('setQuotas')}
      fields={fields}
      initial={{ ...rest, mediaMib: mediaBytes === null ? null : Math.floor(mediaBytes / MIB) }}
      submitText={t('save')}
      note={t('quotasNote')}
      onClose={onClose}
      onSubmit={async values => {
        const { mediaMib, ...others } = values as Record<string, number | null>
        const body = {
          ...others,
          ...(mediaMib === undefined ? {} : { mediaBytes: mediaMib === null ? null : mediaMib * MIB }),
        } as Body<'operator.setQuotas'>
        await setQuotas.send({ params: { id }, body })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
