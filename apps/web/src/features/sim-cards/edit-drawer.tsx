import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { CARD_FORMS, CARD_USES } from '@thingwright/contracts/sim-cards.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

/** Changes what is kept of a card beside what the carrier says. */
export function EditDrawer({ card, onClose }: { card: SimCardView; onClose: () => void }) {
  const { t } = useTranslation('sim-cards')
  const update = useAct('simCards.update')
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'msisdn',
        kind: 'string',
        label: t('msisdn'),
        half: true,
        pattern: /^\d{11,15}$/,
        patternText: t('msisdnRule'),
      },
      {
        key: 'boundImei',
        kind: 'string',
        label: t('boundImei'),
        half: true,
        pattern: /^\d{14,16}$/,
        patternText: t('imeiRule'),
      },
      {
        key: 'use',
        kind: 'enum',
        label: t('use'),
        half: true,
        options: CARD_USES.map(value => ({ value, label: t(`uses.${value}`) })),
      },
      {
        key: 'form',
        kind: 'enum',
        label: t('form'),
        half: true,
        options: CARD_FORMS.map(value => ({ value, label: t(`forms.${value}`) })),
      },
      { key: 'pool', kind: 'string', label: t('pool'), half: true, maxLength: 64, cleared: '' },
      {
        key: 'planMb',
        kind: 'number',
        label: t('planMb'),
        half: true,
        min: 0,
        max: 1_000_000,
        unit: 'MB',
        help: t('planHelp'),
      },
      { key: 'monthYuan', kind: 'number', label: t('price'), half: true, min: 0, max: 1_000_000, step: 0.01 },
      { key: 'activateBy', kind: 'date', label: t('activateBy'), half: true },
      { key: 'expiresAt', kind: 'date', label: t('expires'), half: true },
      { key: 'tags', kind: 'tags', label: t('tags'), maxItems: 10, maxLength: 32 },
      { key: 'remark', kind: 'string', label: t('remark'), maxLength: 200, rows: 2, cleared: '' },
    ],
    [t],
  )
  const initial = useMemo(
    () => ({
      msisdn: card.msisdn ?? undefined,
      boundImei: card.boundImei ?? undefined,
      use: card.use,
      form: card.form ?? undefined,
      pool: card.pool,
      planMb: card.planKb === null ? undefined : Math.round((card.planKb / 1024) * 100) / 100,
      monthYuan: card.monthFen === null ? undefined : card.monthFen / 100,
      activateBy: card.activateBy ? Date.parse(card.activateBy) : undefined,
      expiresAt: card.expiresAt ? Date.parse(card.expiresAt) : undefined,
      tags: card.tags,
      remark: card.remark,
    }),
    [card],
  )
  return (
    <FormDrawer
      title={t('edit')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ planMb, monthYuan, activateBy, expiresAt, ...values }, newer) => {
        const iso = (ms: unknown) => (typeof ms === 'number' ? new Date(ms).toISOString() : null)
        const planKb = typeof planMb === 'number' ? planMb * 1024 : null
        const body = {
          ...values,
          version: newer ?? card.version,
          // Left as it was it stays the carrier's.
          ...(planMb === initial.planMb || (planKb === null && card.planKb === null) ? {} : { planKb }),
          monthFen: typeof monthYuan === 'number' ? Math.round(monthYuan * 100) : null,
          activateBy: iso(activateBy),
          expiresAt: iso(expiresAt),
        }
        await update.send({ params: { id: card.id }, body: body as Body<'simCards.update'> })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
