import {
  isIdentifier,
  isNumeric,
  type ModelOverlay,
  type OverlayChange,
  type Property,
  RANGE_POLICIES,
  STORE_MODES,
  type StorePolicy,
} from '@thingwright/thing-model'
import type { TFunction } from 'i18next'
import type { Field, Values } from '../../../ui/schema-form/field.ts'

type T = TFunction<'devices'>

/** Types offered for a property of the device's own; structures come with the product. */
const OWN_TYPES = ['double', 'int32', 'bool', 'string', 'date', 'geo', 'bytes', 'json'] as const

const line = (t: T, key: 'up' | 'down'): Field => ({
  kind: 'object',
  key,
  label: t(`deviceModel.${key}`),
  fields: (['x1', 'y1', 'x2', 'y2'] as const).map(
    (point): Field => ({ kind: 'number', key: point, label: point, half: true }),
  ),
})

/** What a device may have otherwise in a property of its product. */
export function changeFields(t: T, property: Property): Field[] {
  const numeric = isNumeric(property.dataType)
  const bound = (key: 'min' | 'max'): Field =>
    property.dataType.type === 'int64'
      ? { kind: 'int64', key, label: t(`deviceModel.${key}`), half: true }
      : { kind: 'number', key, label: t(`deviceModel.${key}`), half: true }
  return [
    { kind: 'string', key: 'name', label: t('deviceModel.name'), required: true, maxLength: 64, half: true },
    { kind: 'string', key: 'unit', label: t('deviceModel.unit'), maxLength: 32, half: true },
    ...(numeric
      ? [
          bound('min'),
          bound('max'),
          {
            kind: 'number' as const,
            key: 'decimals',
            label: t('deviceModel.decimals'),
            integer: true,
            min: 0,
            max: 10,
            half: true,
          },
          {
            kind: 'enum' as const,
            key: 'outOfRange',
            label: t('deviceModel.outOfRange'),
            half: true,
            options: RANGE_POLICIES.map(value => ({ value, label: t(`deviceModel.range.${value}`) })),
          },
          {
            kind: 'object' as const,
            key: 'mapping',
            label: t('deviceModel.mapping'),
            fields: [line(t, 'up'), line(t, 'down')],
          },
        ]
      : []),
    {
      kind: 'object',
      key: 'store',
      label: t('deviceModel.store'),
      fields: [
        {
          kind: 'enum',
          key: 'mode',
          label: t('deviceModel.storeMode'),
          half: true,
          options: STORE_MODES.filter(mode => numeric || mode !== 'deadband').map(value => ({
            value,
            label: t(`deviceModel.mode.${value}`),
          })),
        },
        {
          kind: 'number',
          key: 'seconds',
          label: t('deviceModel.seconds'),
          unit: 's',
          min: 1,
          max: 86_400,
          half: true,
          required: true,
          visible: values => values.mode === 'interval',
        },
        {
          kind: 'number',
          key: 'band',
          label: t('deviceModel.band'),
          min: 0,
          half: true,
          required: true,
          visible: values => values.mode === 'deadband',
        },
        {
          kind: 'bool',
          key: 'percent',
          label: t('deviceModel.percent'),
          half: true,
          visible: values => values.mode === 'deadband',
        },
        {
          kind: 'number',
          key: 'maxSeconds',
          label: t('deviceModel.maxSeconds'),
          unit: 's',
          min: 1,
          max: 86_400,
          half: true,
          visible: values => values.mode === 'deadband' || values.mode === 'change',
        },
      ],
    },
  ]
}

/** What the form begins with: the property as it is for this device. */
export function changeValues(property: Property): Values {
  const { name, unit, decimals, outOfRange, mapping, store, dataType } = property
  const { min, max } = dataType as { min?: number | string; max?: number | string }
  return {
    name,
    unit,
    decimals,
    min,
    max,
    outOfRange: outOfRange ?? 'refuse',
    mapping: mapping ?? {},
    store: { mode: 'every', ...store },
  }
}

const someNumber = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.values(value).some(each => typeof each === 'number')

/** What was typed, as fields of an overlay; the usual choices take the product's away. */
export function readChange(values: Values): OverlayChange {
  const { mapping, store, outOfRange, ...plain } = values
  const lines = (mapping ?? {}) as Values
  const kept = {
    ...(someNumber(lines.up) ? { up: lines.up } : {}),
    ...(someNumber(lines.down) ? { down: lines.down } : {}),
  }
  const { mode, seconds, band, percent, maxSeconds } = (store ?? {}) as Partial<StorePolicy>
  const policy = {
    mode,
    ...(mode === 'interval' ? { seconds } : {}),
    ...(mode === 'deadband' ? { band, ...(percent ? { percent } : {}) } : {}),
    ...(mode !== 'interval' && typeof maxSeconds === 'number' ? { maxSeconds } : {}),
  }
  return {
    ...Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, value === undefined ? null : value])),
    ...('outOfRange' in values ? { outOfRange: outOfRange === 'refuse' ? null : outOfRange } : {}),
    ...('mapping' in values ? { mapping: Object.keys(kept).length > 0 ? kept : null } : {}),
    ...('store' in values ? { store: mode && mode !== 'every' ? policy : null } : {}),
  }
}

/** A property that only this device has. */
export function ownFields(t: T, taken: readonly string[]): Field[] {
  return [
    { kind: 'string', key: 'name', label: t('deviceModel.name'), required: true, maxLength: 64, half: true },
    {
      kind: 'string',
      key: 'identifier',
      label: t('deviceModel.identifier'),
      required: true,
      maxLength: 64,
      mono: true,
      half: true,
      check: value =>
        !isIdentifier(String(value ?? ''))
          ? t('deviceModel.identifierInvalid')
          : taken.includes(String(value))
            ? t('deviceModel.identifierTaken')
            : null,
    },
    {
      kind: 'enum',
      key: 'type',
      label: t('deviceModel.type'),
      required: true,
      half: true,
      options: OWN_TYPES.map(value => ({ value, label: value })),
    },
    {
      kind: 'enum',
      key: 'access',
      label: t('deviceModel.access'),
      required: true,
      half: true,
      options: (['r', 'rw', 'w'] as const).map(value => ({ value, label: t(`deviceModel.accessWords.${value}`) })),
    },
    {
      kind: 'string',
      key: 'unit',
      label: t('deviceModel.unit'),
      maxLength: 32,
      half: true,
      visible: values => values.type === 'double' || values.type === 'int32',
    },
  ]
}

/** The overlay with a property's changes replaced; without any, the property is the product's again. */
export function withChange(overlay: ModelOverlay, identifier: string, change: OverlayChange | null): ModelOverlay {
  const { [identifier]: _, ...rest } = overlay.changed ?? {}
  return { ...overlay, changed: change ? { ...rest, [identifier]: change } : rest }
}

export function withoutOwn(overlay: ModelOverlay, identifier: string): ModelOverlay {
  return { ...overlay, added: (overlay.added ?? []).filter(property => property.identifier !== identifier) }
}
