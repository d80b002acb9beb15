import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { CARD_FORMS, CARD_TERMS, CARD_USES } from '@thingwright/contracts/sim-cards.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

const megabytes = (kb: number | null) => (kb === null ? undefined : Math.round((kb / 1024) * 100) / 100)

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
      {
        key: 'term',
        kind: 'enum',
        label: t('term'),
        half: true,
        options: CARD_TERMS.map(value => ({ value, label: t(`terms.${value}`) })),
      },
      // Of the others the carrier says it itself.
      ...(card.carrier === 'ctcc'
        ? [
            {
              key: 'smsSaid',
              kind: 'enum',
              label: t('smsOn'),
              half: true,
              options: (['yes', 'no'] as const).map(value => ({ value, label: t(value) })),
            } satisfies Field,
          ]
        : []),
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
      {
        key: 'shownPlanMb',
        kind: 'number',
        label: t('shownPlanMb'),
        half: true,
        min: 0,
        max: 1_000_000,
        unit: 'MB',
        help: t('shownPlanHelp'),
      },
      {
        key: 'shownPercent',
        kind: 'number',
        label: t('shownPercent'),
        half: true,
        integer: true,
        min: 1,
        max: 1000,
        unit: '%',
        help: t('shownPercentHelp'),
      },
      { key: 'monthYuan', kind: 'number', label: t('price'), half: true, min: 0, max: 1_000_000, step: 0.01 },
      { key: 'activateBy', kind: 'date', label: t('activateBy'), half: true },
      { key: 'dataUntil', kind: 'date', label: t('dataUntil'), half: true, help: t('dataUntilHelp') },
      { key: 'expiresAt', kind: 'date', label: t('expires'), half: true },
      { key: 'searchable', kind: 'bool', label: t('searchable'), help: t('searchableHelp') },
      { key: 'tags', kind: 'tags', label: t('tags'), maxItems: 10, maxLength: 32 },
      { key: 'remark', kind: 'string', label: t('remark'), maxLength: 200, rows: 2, cleared: '' },
    ],
    [t, card.carrier],
  )
  const initial = useMemo(
    () => ({
      msisdn: card.msisdn ?? undefined,
      boundImei: card.boundImei ?? undefined,
      use: card.use,
      form: card.form ?? undefined,
      pool: card.pool,
      term: card.term ?? undefined,
      smsSaid: card.smsOn === null ? undefined : card.smsOn ? 'yes' : 'no',
      planMb: megabytes(card.planKb),
      shownPlanMb: megabytes(card.shownPlanKb),
      shownPercent: card.shownPercent ?? undefined,
      monthYuan: card.monthFen === null ? undefined : card.monthFen / 100,
      activateBy: card.activateBy ? Date.parse(card.activateBy) : undefined,
      dataUntil: card.dataUntil ? Date.parse(card.dataUntil) : undefined,
      expiresAt: card.expiresAt ? Date.parse(card.expiresAt) : undefined,
      searchable: card.searchable,
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
      onSubmit={async (
        { planMb, shownPlanMb, smsSaid, monthYuan, activateBy, dataUntil, expiresAt, ...values },
        newer,
      ) => {
        const iso = (ms: unknown) => (typeof ms === 'number' ? new Date(ms).toISOString() : null)
        const planKb = typeof planMb === 'number' ? planMb * 1024 : null
        const body = {
          ...values,
          version: newer ?? card.version,
          // Left as it was it stays the carrier's.
          ...(planMb === initial.planMb || (planKb === null && card.planKb === null) ? {} : { planKb }),
          monthFen: typeof monthYuan === 'number' ? Math.round(monthYuan * 100) : null,
          // What is shown rounded is not sent back rounded.
          ...(shownPlanMb === initial.shownPlanMb
            ? {}
            : { shownPlanKb: typeof shownPlanMb === 'number' ? shownPlanMb * 1024 : null }),
          ...(card.carrier === 'ctcc' ? { smsOn: typeof smsSaid === 'string' ? smsSaid === 'yes' : null } : {}),
          activateBy: iso(activateBy),
          dataUntil: iso(dataUntil),
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
