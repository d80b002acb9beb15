import type { MeterView } from '@thingwright/contracts/meters.contract'
import { GAP_MODES, METER_MODES } from '@thingwright/contracts/tariffs.words'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { dayField, deviceField, endUserField, tariffField } from './fields.tsx'
import { METERING } from './hooks.ts'

const VALUE = /^\d{1,12}(\.\d{1,9})?$/

type Switch = boolean | number | string
const textOf = (value: Switch) => String(value)
/** `true`, `1` and `on` as they are typed are a yes or no, a number and a text. */
function switchOf(text: unknown): Switch | null {
  if (typeof text !== 'string' || text.trim() === '') return null
  const value = text.trim()
  if (value === 'true' || value === 'false') return value === 'true'
  return Number.isFinite(Number(value)) ? Number(value) : value
}
function withSwitches({ cutProperty, cutValue, restoreValue, ...values }: Values): Values {
  const isCut = values.mode === 'prepaid' && typeof cutProperty === 'string' && cutProperty.trim() !== ''
  return {
    ...values,
    cutProperty: isCut ? cutProperty : null,
    cutValue: isCut ? switchOf(cutValue) : null,
    restoreValue: isCut ? switchOf(restoreValue) : null,
  }
}

/** A new meter, or how an existing one is charged from now on. */
export function MeterForm({
  meter,
  onClose,
  onDone,
}: {
  meter?: MeterView
  onClose: () => void
  onDone: (meter: MeterView) => void
}) {
  const { t } = useTranslation('tariffs')
  const create = useAct('meters.create', { touches: METERING, notice: false })
  const update = useAct('meters.update', { touches: METERING, notice: false })
  const fields = useMemo<Field[]>(() => {
    const value = (key: string, label: string, help: string): Field => ({
      key,
      kind: 'string',
      label,
      help,
      mono: true,
      pattern: VALUE,
      patternText: t('valueText'),
      half: true,
    })
    const isPrepaid = (values: Values) => values.mode === 'prepaid'
    const switchField = (key: string, label: string): Field => ({
      key,
      kind: 'string',
      label,
      help: t('switchHelp'),
      mono: true,
      maxLength: 64,
      half: true,
      visible: values => isPrepaid(values) && Boolean(values.cutProperty),
    })
    const user = meter?.endUserId ? { id: meter.endUserId, name: meter.endUserName } : undefined
    const tariff = meter && { id: meter.tariffId, name: meter.tariffName }
    return [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      ...(meter
        ? []
        : ([
            deviceField({ key: 'deviceId', label: t('device'), required: true }),
            {
              key: 'property',
              kind: 'string',
              label: t('property'),
              help: t('propertyHelp'),
              required: true,
              mono: true,
              maxLength: 64,
            },
          ] satisfies Field[])),
      endUserField({ key: 'endUserId', label: t('endUser'), required: true, half: true }, user),
      tariffField({ key: 'tariffId', label: t('tariff'), required: true, half: true }, tariff),
      {
        key: 'mode',
        kind: 'enum',
        label: t('modeLabel'),
        required: true,
        display: 'cards',
        options: METER_MODES.map(mode => ({ value: mode, label: t(`mode.${mode}`), help: t(`modeHelp.${mode}`) })),
      },
      ...(meter
        ? []
        : ([
            dayField({ key: 'fromDay', label: t('fromDay'), required: true, half: true }),
            value('startValue', t('startValue'), t('startValueHelp')),
          ] satisfies Field[])),
      dayField({ key: 'toDay', label: t('toDay'), half: true }),
      {
        key: 'factor',
        kind: 'string',
        label: t('factor'),
        help: t('factorHelp'),
        mono: true,
        required: true,
        pattern: /^\d{1,6}(\.\d{1,6})?$/,
        patternText: t('priceText'),
        half: true,
      },
      value('rollover', t('rollover'), t('rolloverHelp')),
      {
        key: 'gapMinutes',
        kind: 'number',
        label: t('gapMinutes'),
        help: t('gapHelp'),
        integer: true,
        min: 1,
        max: 44_640,
        unit: t('minutes'),
        required: true,
        half: true,
      },
      {
        key: 'gapMode',
        kind: 'enum',
        label: t('gapModeLabel'),
        required: true,
        display: 'segmented',
        options: GAP_MODES.map(mode => ({ value: mode, label: t(`gapMode.${mode}`) })),
      },
      {
        key: 'cutProperty',
        kind: 'string',
        label: t('cutProperty'),
        help: t('cutHelp'),
        mono: true,
        maxLength: 64,
        visible: isPrepaid,
      },
      switchField('cutValue', t('cutValue')),
      switchField('restoreValue', t('restoreValue')),
    ]
  }, [t, meter])
  const initial = {
    name: meter?.name ?? '',
    deviceId: null,
    property: '',
    endUserId: meter?.endUserId ?? null,
    tariffId: meter?.tariffId ?? null,
    mode: meter?.mode ?? 'postpaid',
    fromDay: null,
    startValue: null,
    toDay: meter?.toDay ?? null,
    factor: meter?.factor ?? '1',
    rollover: meter?.rollover ?? null,
    gapMinutes: meter?.gapMinutes ?? 1440,
    gapMode: meter?.gapMode ?? 'estimate',
    cutProperty: meter?.cutProperty ?? null,
    cutValue: textOf(meter?.cutValue ?? false),
    restoreValue: textOf(meter?.restoreValue ?? true),
  }
  return (
    <FormDrawer
      title={meter ? t('edit') : t('addMeter')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async (given, newer) => {
        const values = withSwitches(given)
        const reply = meter
          ? await update.send({
              params: { id: meter.id },
              body: { ...values, version: newer ?? meter.version } as Body<'meters.update'>,
            })
          : await create.send({ body: values as Body<'meters.create'> })
        notify.success(t('saved'))
        onClose()
        onDone(reply)
      }}
      onClose={onClose}
    />
  )
}
