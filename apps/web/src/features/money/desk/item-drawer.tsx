import type {
  CatalogueItem,
  ExpansionSpec,
  PackSpec,
  PlanSpec,
  SimSpec,
} from '@thingwright/contracts/catalogue.contract'
import { CATALOGUE_KINDS, type CatalogueKind, EXPANDABLE, SOLD_FORMS } from '@thingwright/contracts/money.words'
import { CARD_USES, CARRIERS } from '@thingwright/contracts/sim-cards.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { fenOf } from '../words.ts'

const MOST = 1_000_000_000_000

/** Adds something to sell, or changes it; what was ordered keeps what it was made of. */
export function ItemDrawer({ item, onClose }: { item: CatalogueItem | null; onClose: () => void }) {
  const { t } = useTranslation('money')
  const create = useAct('catalogue.create')
  const update = useAct('catalogue.update')
  const fields = useMemo<Field[]>(() => {
    const of = (...kinds: CatalogueKind[]) => ({
      visible: (values: Values) => kinds.includes(values.kind as CatalogueKind),
    })
    return [
      {
        kind: 'enum',
        key: 'kind',
        label: t('kindLabel'),
        required: true,
        disabled: item !== null,
        options: CATALOGUE_KINDS.map(value => ({ value, label: t(`kind.${value}`) })),
      },
      {
        kind: 'string',
        key: 'sku',
        label: t('desk.sku'),
        required: true,
        disabled: item !== null,
        mono: true,
        pattern: /^[a-z][a-z0-9-]{1,39}$/,
        patternText: t('desk.skuRule'),
      },
      { kind: 'string', key: 'name', label: t('desk.nameZh'), required: true, maxLength: 64, half: true },
      { kind: 'string', key: 'ename', label: t('desk.nameEn'), required: true, maxLength: 64, half: true },
      { kind: 'string', key: 'text', label: t('desk.textZh'), maxLength: 500, half: true, cleared: '' },
      { kind: 'string', key: 'etext', label: t('desk.textEn'), maxLength: 500, half: true, cleared: '' },
      {
        kind: 'string',
        key: 'price',
        label: t('desk.price'),
        required: true,
        half: true,
        pattern: /^\d{1,9}(\.\d{1,2})?$/,
        patternText: t('desk.priceRule'),
      },
      {
        kind: 'number',
        integer: true,
        key: 'months',
        label: t('desk.months'),
        required: true,
        min: 1,
        max: 36,
        half: true,
        ...of('plan', 'sms', 'voice', 'sim'),
      },
      ...EXPANDABLE.map(
        (quota): Field => ({
          kind: 'number',
          integer: true,
          key: `quota_${quota}`,
          label: t(`quota.${quota}`),
          help: quota === 'mediaBytes' ? t('desk.bytes') : t('desk.emptyNoLimit'),
          min: 0,
          max: MOST,
          half: true,
          ...of('plan'),
        }),
      ),
      {
        kind: 'enum',
        key: 'quota',
        label: t('desk.quota'),
        required: true,
        half: true,
        options: EXPANDABLE.map(value => ({ value, label: t(`quota.${value}`) })),
        ...of('expansion'),
      },
      {
        kind: 'number',
        integer: true,
        key: 'quantity',
        label: t('charge.quantity'),
        required: true,
        min: 1,
        max: MOST,
        half: true,
        ...of('expansion'),
      },
      {
        kind: 'number',
        integer: true,
        key: 'units',
        label: t('desk.units'),
        required: true,
        min: 1,
        max: 10_000_000,
        half: true,
        ...of('sms', 'voice'),
      },
      {
        kind: 'number',
        integer: true,
        key: 'gift',
        label: t('desk.gift'),
        required: true,
        min: 0,
        max: 10_000_000,
        half: true,
        ...of('sms', 'voice'),
      },
      {
        kind: 'enum',
        key: 'carrier',
        label: t('card.carrierLabel'),
        required: true,
        half: true,
        options: CARRIERS.map(value => ({ value, label: t(`card.carrier.${value}`) })),
        ...of('sim'),
      },
      {
        kind: 'enum',
        key: 'use',
        label: t('card.useLabel'),
        required: true,
        half: true,
        options: CARD_USES.map(value => ({ value, label: t(`card.use.${value}`) })),
        ...of('sim'),
      },
      ...SOLD_FORMS.map(
        (form): Field => ({
          kind: 'bool',
          key: `form_${form}`,
          label: t(`card.form.${form}`),
          half: true,
          ...of('sim'),
        }),
      ),
      {
        kind: 'number',
        integer: true,
        key: 'monthMb',
        label: t('desk.monthMb'),
        required: true,
        min: 1,
        max: 10_000_000,
        half: true,
        ...of('sim'),
      },
      {
        kind: 'string',
        key: 'cardPrice',
        label: t('desk.cardFen'),
        required: true,
        half: true,
        pattern: /^\d{1,4}(\.\d{1,2})?$/,
        patternText: t('desk.cardFenRule'),
        ...of('sim'),
      },
    ]
  }, [t, item])
  const initial = useMemo(() => (item ? valuesOf(item) : { kind: 'plan', months: 12, gift: 0 }), [item])
  return (
    <FormDrawer
      title={t(item ? 'desk.edit' : 'desk.add')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const kind = (item?.kind ?? values.kind) as CatalogueKind
        const shared = {
          name: values.name as string,
          ename: values.ename as string,
          text: (values.text as string | null | undefined) ?? '',
          etext: (values.etext as string | null | undefined) ?? '',
          priceFen: fenOf(values.price as string) ?? 0,
          spec: specOf(kind, values),
        }
        if (item)
          await update.send({
            params: { id: item.id },
            body: { ...shared, version: newer ?? item.version } as Body<'catalogue.update'>,
          })
        else
          await create.send({
            body: { ...shared, kind, sku: values.sku, state: 'draft', position: 0 } as Body<'catalogue.create'>,
          })
        notify.success(t('desk.saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function specOf(kind: CatalogueKind, values: Values) {
  if (kind === 'expansion') return { quota: values.quota, quantity: values.quantity }
  if (kind === 'sim')
    return {
      carrier: values.carrier,
      use: values.use,
      forms: SOLD_FORMS.filter(form => values[`form_${form}`] === true),
      monthMb: values.monthMb,
      months: values.months,
      cardFen: fenOf(String(values.cardPrice)) ?? 0,
    }
  if (kind !== 'plan') return { units: values.units, gift: values.gift, months: values.months }
  const quotas = Object.fromEntries(EXPANDABLE.map(quota => [quota, values[`quota_${quota}`] ?? null]))
  return { months: values.months, quotas }
}

const yuanOf = (fen: number) => `${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, '0')}`

function valuesOf(item: CatalogueItem): Values {
  const { kind, sku, name, ename, text, etext } = item
  const price = yuanOf(item.priceFen)
  const shared = { kind, sku, name, ename, text, etext, price }
  if (kind === 'expansion') return { ...shared, ...(item.spec as ExpansionSpec) }
  if (kind === 'sim') {
    const { forms, cardFen, ...spec } = item.spec as SimSpec
    const chosen = Object.fromEntries(SOLD_FORMS.map(form => [`form_${form}`, forms.includes(form)]))
    return { ...shared, ...spec, ...chosen, cardPrice: yuanOf(cardFen) }
  }
  if (kind !== 'plan') return { ...shared, ...(item.spec as PackSpec) }
  const { months, quotas } = item.spec as PlanSpec
  return {
    ...shared,
    months,
    ...Object.fromEntries(EXPANDABLE.map(quota => [`quota_${quota}`, quotas[quota] ?? undefined])),
  }
}
