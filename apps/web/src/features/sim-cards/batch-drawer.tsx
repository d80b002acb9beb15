import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { CARD_TERMS } from '@thingwright/contracts/sim-cards.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

const WHATS = ['term', 'shownPlan', 'shownPercent', 'dataUntil', 'expires', 'searchable'] as const
const INITIAL: Values = { what: 'dataUntil', searchable: true }

type Change = Body<'simCards.updateMany'>['set']

/** What is sent of a filled form: the chosen field alone; left empty it is cleared. */
export function changeOf({ what, ...values }: Values): Change {
  const iso = (ms: unknown) => (typeof ms === 'number' ? new Date(ms).toISOString() : null)
  const number = (value: unknown) => (typeof value === 'number' ? value : null)
  switch (what as (typeof WHATS)[number]) {
    case 'term':
      return { term: (values.term as Change['term']) || null }
    case 'shownPlan': {
      const megabytes = number(values.shownPlanMb)
      return { shownPlanKb: megabytes === null ? null : megabytes * 1024 }
    }
    case 'shownPercent':
      return { shownPercent: number(values.shownPercent) }
    case 'dataUntil':
      return { dataUntil: iso(values.dataUntil) }
    case 'expires':
      return { expiresAt: iso(values.expiresAt) }
    case 'searchable':
      return { searchable: values.searchable === true }
  }
}

/** Sets one field of many cards to the same. */
export function BatchDrawer({ cards, onClose }: { cards: SimCardView[]; onClose: () => void }) {
  const { t } = useTranslation('sim-cards')
  const update = useAct('simCards.updateMany')
  const fields = useMemo<Field[]>(() => {
    const chosen = (what: (typeof WHATS)[number]) => (values: Values) => values.what === what
    const clears = t('batch.clears')
    return [
      {
        key: 'what',
        kind: 'enum',
        label: t('batch.what'),
        required: true,
        options: WHATS.map(value => ({ value, label: t(value === 'shownPlan' ? 'shownPlanMb' : value) })),
      },
      {
        key: 'term',
        kind: 'enum',
        label: t('term'),
        help: clears,
        options: CARD_TERMS.map(value => ({ value, label: t(`terms.${value}`) })),
        visible: chosen('term'),
      },
      {
        key: 'shownPlanMb',
        kind: 'number',
        label: t('shownPlanMb'),
        min: 0,
        max: 1_000_000,
        unit: 'MB',
        help: t('shownPlanHelp'),
        visible: chosen('shownPlan'),
      },
      {
        key: 'shownPercent',
        kind: 'number',
        label: t('shownPercent'),
        integer: true,
        min: 1,
        max: 1000,
        unit: '%',
        help: t('shownPercentHelp'),
        visible: chosen('shownPercent'),
      },
      { key: 'dataUntil', kind: 'date', label: t('dataUntil'), help: clears, visible: chosen('dataUntil') },
      { key: 'expiresAt', kind: 'date', label: t('expires'), help: clears, visible: chosen('expires') },
      {
        key: 'searchable',
        kind: 'bool',
        label: t('searchable'),
        help: t('searchableHelp'),
        visible: chosen('searchable'),
      },
    ]
  }, [t])
  return (
    <FormDrawer
      title={t('batch.title', { count: cards.length, text: formatNumber(cards.length) })}
      fields={fields}
      initial={INITIAL}
      submitText={t('batch.submit')}
      onSubmit={async values => {
        const { changed, missing } = await update.send({
          body: { ids: cards.map(({ id }) => id), set: changeOf(values) },
        })
        notify.success(t('batch.done', { count: changed, text: formatNumber(changed) }))
        if (missing > 0) notify.info(t('batch.missing', { count: missing, text: formatNumber(missing) }))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
