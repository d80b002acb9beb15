import type { Rates, TariffView } from '@thingwright/contracts/tariffs.contract'
import { TARIFF_KINDS } from '@thingwright/contracts/tariffs.words'
import { Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { dayField } from './fields.tsx'
import { METERING } from './hooks.ts'

const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const
const PRICE = /^\d{1,9}(\.\d{1,6})?$/
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/

/** A new tariff; its name; or with `version` prices for another time. The fields have the paths that the server names. */
export function TariffForm({
  tariff,
  version = false,
  onClose,
  onDone,
}: {
  tariff?: TariffView
  version?: boolean
  onClose: () => void
  onDone: (tariff: TariffView) => void
}) {
  const { t } = useTranslation('tariffs')
  const create = useAct('tariffs.create', { touches: METERING, notice: false })
  const update = useAct('tariffs.update', { touches: METERING, notice: false })
  const add = useAct('tariffs.addVersion', { touches: METERING, notice: false })
  const withName = !version
  const withPrices = !tariff || version
  const fields = useMemo<Field[]>(() => {
    const price: Field = {
      key: 'price',
      kind: 'string',
      label: t('price'),
      required: true,
      mono: true,
      pattern: PRICE,
      patternText: t('priceText'),
      half: true,
    }
    const kindIs = (kind: string) => (values: Values) => values.kind === kind
    const time = (key: string, label: string): Field => ({
      key,
      kind: 'string',
      label,
      required: true,
      mono: true,
      pattern: TIME,
      patternText: t('timeText'),
      third: true,
    })
    const names: Field[] = [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      { key: 'unit', kind: 'string', label: t('unit'), required: true, maxLength: 16, help: t('unitHelp') },
      { key: 'remark', kind: 'string', label: t('remark'), maxLength: 200, cleared: '' },
    ]
    const prices: Field[] = [
      dayField({ key: 'validFrom', label: t('validFrom'), required: true, half: true }),
      dayField({ key: 'validTo', label: t('validTo'), half: true, help: t('validToHelp') }),
      {
        key: 'kind',
        kind: 'enum',
        label: t('kindLabel'),
        required: true,
        display: 'cards',
        options: TARIFF_KINDS.map(value => ({ value, label: t(`kind.${value}`), help: t(`kindHelp.${value}`) })),
      },
      { ...price, key: 'rates.price', visible: kindIs('fixed') },
      {
        key: 'rates.steps',
        kind: 'array',
        label: t('steps'),
        help: t('stepsHelp'),
        required: true,
        maxItems: 10,
        visible: kindIs('steps'),
        fresh: () => ({ upTo: null, price: '' }),
        element: {
          key: '',
          kind: 'object',
          label: t('step'),
          fields: [
            {
              key: 'upTo',
              kind: 'string',
              label: t('upTo'),
              mono: true,
              pattern: /^\d{1,9}(\.\d{1,3})?$/,
              patternText: t('priceText'),
              half: true,
            },
            price,
          ],
        },
      },
      {
        key: 'rates.bands',
        kind: 'array',
        label: t('bands'),
        help: t('bandsHelp'),
        required: true,
        maxItems: 10,
        visible: kindIs('time_of_use'),
        fresh: () => ({ name: '', price: '' }),
        element: {
          key: '',
          kind: 'object',
          label: t('band'),
          fields: [
            { key: 'name', kind: 'string', label: t('bandName'), required: true, maxLength: 32, half: true },
            price,
          ],
        },
      },
      {
        key: 'rates.otherwise',
        kind: 'string',
        label: t('otherwise'),
        required: true,
        maxLength: 32,
        visible: kindIs('time_of_use'),
        check: (value, values) => (bandOf(values, value) < 0 ? t('noBand') : null),
      },
      {
        key: 'rates.spans',
        kind: 'array',
        label: t('spans'),
        help: t('spansHelp'),
        maxItems: 48,
        visible: kindIs('time_of_use'),
        fresh: () => ({ weekdays: [...WEEKDAYS], from: '08:00', to: '12:00', band: '' }),
        element: {
          key: '',
          kind: 'object',
          label: t('span'),
          fields: [
            {
              key: 'weekdays',
              kind: 'custom',
              label: t('weekdays'),
              required: true,
              render: ({ id, value, onChange, disabled }) => (
                <Select<number[]>
                  id={id}
                  mode="multiple"
                  style={{ width: '100%' }}
                  disabled={disabled}
                  value={(value as number[] | null) ?? []}
                  options={WEEKDAYS.map(day => ({ value: day, label: t(`weekday.${day}`) }))}
                  onChange={onChange}
                />
              ),
            },
            time('from', t('from')),
            time('to', t('to')),
            { key: 'band', kind: 'string', label: t('bandName'), required: true, maxLength: 32, third: true },
          ],
        },
      },
      {
        key: 'endBefore',
        kind: 'bool',
        label: t('endBefore'),
        visible: () => tariff !== undefined,
      },
    ]
    return [...(withName ? names : []), ...(withPrices ? prices : [])]
  }, [t, tariff, withName, withPrices])
  const last = tariff?.versions.at(-1)
  const initial: Values = {
    ...(withName && { name: tariff?.name ?? '', unit: tariff?.unit ?? '', remark: tariff?.remark ?? '' }),
    ...(withPrices && {
      validFrom: null,
      validTo: null,
      endBefore: true,
      ...valuesOf(last?.rates ?? { kind: 'fixed', price: '' }),
    }),
  }
  return (
    <FormDrawer
      title={version ? t('addPrices') : tariff ? t('edit') : t('addTariff')}
      fields={fields}
      initial={initial}
      width={withPrices ? 720 : 560}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const reply = await save(values, newer)
        notify.success(t('saved'))
        onClose()
        onDone(reply)
      }}
      onClose={onClose}
    />
  )

  function save(values: Values, newer: number | undefined): Promise<TariffView> {
    const names = { name: values.name as string, unit: values.unit as string, remark: (values.remark as string) ?? '' }
    const prices = {
      validFrom: values.validFrom as string,
      validTo: (values.validTo as string | null) ?? null,
      rates: ratesOf(values),
    }
    if (!tariff) return create.send({ body: { ...names, ...prices } })
    const params = { id: tariff.id }
    if (version) return add.send({ params, body: { ...prices, endBefore: values.endBefore === true } })
    return update.send({ params, body: { ...names, version: newer ?? tariff.version } })
  }
}

const bandsOf = (values: Values) => (values['rates.bands'] as { name: string; price: string }[] | null) ?? []
const bandOf = (values: Values, name: unknown) =>
  bandsOf(values).findIndex(band => typeof name === 'string' && band.name?.trim() === name.trim())

/** The prices as the form holds them: bands by their names. */
function valuesOf(rates: Rates): Values {
  const empty = { 'rates.price': '', 'rates.steps': [], 'rates.bands': [], 'rates.otherwise': '', 'rates.spans': [] }
  if (rates.kind === 'fixed') return { ...empty, kind: rates.kind, 'rates.price': rates.price }
  if (rates.kind === 'steps') return { ...empty, kind: rates.kind, 'rates.steps': rates.steps }
  const nameOf = (at: number) => rates.bands[at]?.name ?? ''
  return {
    ...empty,
    kind: rates.kind,
    'rates.bands': rates.bands,
    'rates.otherwise': nameOf(rates.otherwise),
    'rates.spans': rates.spans.map(span => ({ ...span, band: nameOf(span.band) })),
  }
}

/** A band that there is not becomes the tenth, which the server refuses with the field. */
const NO_BAND = 9

function ratesOf(values: Values): Rates {
  if (values.kind === 'fixed') return { kind: 'fixed', price: values['rates.price'] as string }
  if (values.kind === 'steps')
    return {
      kind: 'steps',
      steps: (values['rates.steps'] as { upTo: string | null; price: string }[]).map(({ upTo, price }) => ({
        upTo: upTo || null,
        price,
      })),
    }
  const placeOf = (name: unknown) => {
    const found = bandOf(values, name)
    return found < 0 ? NO_BAND : found
  }
  const spans = (values['rates.spans'] as { weekdays: number[]; from: string; to: string; band: string }[] | null) ?? []
  return {
    kind: 'time_of_use',
    bands: bandsOf(values).map(({ name, price }) => ({ name, price })),
    otherwise: placeOf(values['rates.otherwise']),
    spans: spans.map(({ weekdays, from, to, band }) => ({ weekdays, from, to, band: placeOf(band) })),
  }
}
