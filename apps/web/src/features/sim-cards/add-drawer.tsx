import { ICCID_PATTERN } from '@thingwright/contracts/sim-cards.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { type CarrierName, useAccounts } from './hooks.ts'

/** Adds one card by hand. */
export function AddDrawer({ carrier, onClose }: { carrier: CarrierName; onClose: () => void }) {
  const { t } = useTranslation('sim-cards')
  const accounts = useAccounts(carrier)
  const create = useAct('simCards.create')
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'connectionId',
        kind: 'enum',
        label: t('account'),
        required: true,
        options: accounts.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        key: 'iccid',
        kind: 'string',
        label: 'ICCID',
        required: true,
        mono: true,
        maxLength: 20,
        pattern: new RegExp(ICCID_PATTERN),
        patternText: t('iccidRule'),
      },
      {
        key: 'msisdn',
        kind: 'string',
        label: t('msisdn'),
        half: true,
        pattern: /^\d{11,15}$/,
        patternText: t('msisdnRule'),
      },
      { key: 'imsi', kind: 'string', label: t('imsi'), half: true, pattern: /^\d{15}$/, patternText: t('imsiRule') },
      { key: 'tags', kind: 'tags', label: t('tags'), maxItems: 10, maxLength: 32 },
      { key: 'remark', kind: 'string', label: t('remark'), maxLength: 200, rows: 2 },
    ],
    [t, accounts],
  )
  const initial = useMemo(() => (accounts.length === 1 ? { connectionId: accounts[0]!.id } : {}), [accounts])
  return (
    <FormDrawer
      title={t('add')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async values => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        await create.send({ body: given as Body<'simCards.create'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
