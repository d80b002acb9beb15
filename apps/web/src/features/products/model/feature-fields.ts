import { LEVELS } from '@thingwright/contracts/levels.words'
import {
  DATA_TYPES,
  type DataTypeName,
  isIdentifier,
  isReservedIdentifier,
  LATE_POLICIES,
  LIMITS,
  RANGE_POLICIES,
  type SensorKindName,
  STORE_MODES,
} from '@thingwright/thing-model'
import type { TFunction } from 'i18next'
import type { Field, Values } from '../../../ui/schema-form/field.ts'

type T = TFunction<'products'>

/** Levels of nesting that the form offers; deeper ones are written in the JSON view. */
const FORM_DEPTH = 3

const is =
  (...types: DataTypeName[]) =>
  (values: Values) =>
    types.includes(values.type as DataTypeName)

const isNumeric = is('int32', 'float', 'double')

/** Controls: which of them show a data type well. */
const WIDGETS: Partial<Record<DataTypeName, readonly string[]>> = {
  bool: ['switch', 'indicator'],
  int32: ['number', 'slider'],
  float: ['number', 'slider'],
  double: ['number', 'slider'],
  enum: ['levels', 'select'],
  string: ['text', 'color'],
  geo: ['map'],
  file: ['image', 'video'],
}

const ALL_WIDGETS = new Set(Object.values(WIDGETS).flat())

/** The data type of a property or parameter with the settings that its kind has. */
export function dataTypeFields(t: T, depth = 0): Field[] {
  const nested = depth < FORM_DEPTH
  const types = nested ? DATA_TYPES : DATA_TYPES.filter(type => type !== 'struct' && type !== 'array')
  const number = (key: string, label: string): Field => ({ kind: 'number', key, label, half: true, visible: isNumeric })
  const digits = (key: string, label: string): Field => ({
    kind: 'int64',
    key,
    label,
    half: true,
    visible: is('int64'),
  })
  const word = (key: string): Field => ({
    kind: 'string',
    key,
    label: t(`type.${key}`),
    half: true,
    maxLength: LIMITS.name,
    visible: is('bool'),
  })
  return [
    {
      kind: 'enum',
      key: 'type',
      label: t('dataType'),
      required: true,
      options: types.map(type => ({ value: type, label: `${t(`types.${type}`)} · ${type}` })),
    },
    number('min', t('type.min')),
    number('max', t('type.max')),
    digits('min', t('type.min')),
    digits('max', t('type.max')),
    {
      kind: 'number',
      key: 'step',
      label: t('type.step'),
      help: t('type.stepHelp'),
      half: true,
      visible: is('int32', 'int64', 'float', 'double'),
      check: value => (typeof value === 'number' && value <= 0 ? t('problem.number_out_of_range_positive') : null),
    },
    {
      kind: 'number',
      key: 'maxLength',
      label: t('type.maxLength'),
      integer: true,
      min: 1,
      max: LIMITS.stringLength,
      half: true,
      visible: is('string', 'bytes', 'password'),
    },
    word('falseText'),
    word('trueText'),
    word('falseEtext'),
    word('trueEtext'),
    {
      kind: 'enum',
      key: 'valueKind',
      label: t('type.valueKind'),
      required: true,
      display: 'segmented',
      visible: is('enum'),
      options: [
        { value: 'number', label: t('type.valueNumber') },
        { value: 'text', label: t('type.valueText') },
      ],
    },
    {
      kind: 'array',
      key: 'items',
      label: t('type.items'),
      required: true,
      maxItems: LIMITS.enumItems,
      visible: is('enum'),
      fresh: () => ({}),
      element: {
        kind: 'object',
        key: 'item',
        label: '',
        fields: [
          {
            kind: 'string',
            key: 'value',
            label: t('type.itemValue'),
            required: true,
            maxLength: LIMITS.name,
            third: true,
            mono: true,
          },
          { kind: 'string', key: 'name', label: t('type.itemName'), maxLength: LIMITS.name, third: true },
          { kind: 'string', key: 'ename', label: t('ename'), maxLength: LIMITS.name, third: true },
        ],
      },
    },
    {
      kind: 'enum',
      key: 'kind',
      label: t('type.fileKind'),
      half: true,
      visible: is('file'),
      options: (['file', 'image', 'video'] as const).map(value => ({ value, label: t(`type.file_${value}`) })),
    },
    ...(nested
      ? ([
          {
            kind: 'array',
            key: 'fields',
            label: t('type.fields'),
            required: true,
            maxItems: LIMITS.structFields,
            visible: is('struct'),
            fresh: () => ({ dataType: { type: 'double', valueKind: 'number' } }),
            element: { kind: 'object', key: 'field', label: '', fields: paramFields(t, depth + 1) },
          },
          {
            kind: 'object',
            key: 'element',
            label: t('type.element'),
            visible: is('array'),
            fields: dataTypeFields(t, depth + 1),
          },
          {
            kind: 'number',
            key: 'maxItems',
            label: t('type.maxItems'),
            integer: true,
            min: 1,
            max: LIMITS.arrayItems,
            half: true,
            visible: is('array'),
          },
        ] as Field[])
      : []),
  ]
}

/** Identifier and names, as every part of a model has them. */
function namingFields(
  t: T,
  check?: (identifier: string) => string | null,
  place: 'property' | 'other' = 'other',
): Field[] {
  return [
    { kind: 'string', key: 'name', label: t('featureName'), required: true, maxLength: LIMITS.name, half: true },
    { kind: 'string', key: 'ename', label: t('ename'), maxLength: LIMITS.name, half: true },
    {
      kind: 'string',
      key: 'identifier',
      label: t('identifier'),
      help: t('identifierHelp'),
      required: true,
      maxLength: 64,
      mono: true,
      check: value => {
        const identifier = String(value ?? '').trim()
        if (!isIdentifier(identifier)) return t('problem.identifier_invalid')
        if (isReservedIdentifier(identifier, place)) return t('problem.identifier_reserved')
        return check?.(identifier) ?? null
      },
    },
  ]
}

const description = (t: T): Field => ({
  kind: 'string',
  key: 'description',
  label: t('description'),
  maxLength: LIMITS.description,
  rows: 2,
})

/** A parameter of an event or service, or a field of a struct. */
export function paramFields(t: T, depth = 0): Field[] {
  return [
    ...namingFields(t),
    { kind: 'object', key: 'dataType', label: '', fields: dataTypeFields(t, depth) },
    { kind: 'string', key: 'unit', label: t('unit'), maxLength: LIMITS.unit, half: true },
    { kind: 'bool', key: 'required', label: t('requiredParam'), half: true },
  ]
}

const params = (t: T, key: string, label: string): Field => ({
  kind: 'array',
  key,
  label,
  maxItems: LIMITS.params,
  fresh: () => ({ dataType: { type: 'double', valueKind: 'number' } }),
  element: { kind: 'object', key: 'param', label: '', fields: paramFields(t) },
})

/**
 * @param taken identifiers of the other properties
 * @param widget the control now chosen, offered even when it is none of ours
 */
export function propertyFields(t: T, taken: readonly string[], widget?: string): Field[] {
  const typeOf = (values: Values) => (values.dataType as Values | undefined)?.type as DataTypeName
  const numeric = (values: Values) => ['int32', 'int64', 'float', 'double'].includes(typeOf(values))
  return [
    ...namingFields(
      t,
      identifier => (taken.includes(identifier) ? t('problem.identifier_duplicate') : null),
      'property',
    ),
    {
      kind: 'enum',
      key: 'access',
      label: t('access'),
      required: true,
      display: 'cards',
      options: (['r', 'rw', 'w'] as const).map(value => ({
        value,
        label: t(`accessWords.${value}`),
        help: t(`accessHelp.${value}`),
      })),
    },
    { kind: 'object', key: 'dataType', label: '', fields: dataTypeFields(t) },
    { kind: 'string', key: 'unit', label: t('unit'), maxLength: LIMITS.unit, half: true, visible: numeric },
    {
      kind: 'number',
      key: 'decimals',
      label: t('decimals'),
      integer: true,
      min: 0,
      max: LIMITS.decimals,
      half: true,
      visible: values => numeric(values) && !['int32', 'int64'].includes(typeOf(values)),
    },
    ...Object.entries(WIDGETS).map(
      ([type, widgets]): Field => ({
        kind: 'enum',
        key: 'widget',
        label: t('widget'),
        help: t('widgetHelp'),
        half: true,
        visible: values => typeOf(values) === type,
        options: [
          ...(widgets ?? []).map(value => ({ value, label: t(`widgets.${value}`) })),
          ...(widget !== undefined && !ALL_WIDGETS.has(widget) ? [{ value: widget, label: widget }] : []),
        ],
      }),
    ),
    {
      kind: 'string',
      key: 'group',
      label: t('featureGroup'),
      maxLength: LIMITS.name,
      half: true,
      help: t('featureGroupHelp'),
    },
    { kind: 'number', key: 'sort', label: t('sort'), help: t('sortHelp'), integer: true, half: true },
    {
      kind: 'string',
      key: 'defaultText',
      label: t('defaultValue'),
      help: t('defaultValueHelp'),
      maxLength: LIMITS.defaultLength,
      mono: true,
      half: true,
      visible: values => typeOf(values) !== 'password',
    },
    ...handlingFields(t, numeric, values => typeOf(values) !== 'password'),
    { kind: 'bool', key: 'required', label: t('requiredProperty'), help: t('requiredPropertyHelp'), half: true },
    description(t),
  ]
}

/** What is done with values on their way in: lines, bounds, lateness, storing. */
function handlingFields(t: T, numeric: (values: Values) => boolean, reported: (values: Values) => boolean): Field[] {
  const line = (key: 'up' | 'down'): Field => ({
    kind: 'object',
    key,
    label: t(`mapping.${key}`),
    help: t(`mapping.${key}Help`),
    fields: (['x1', 'y1', 'x2', 'y2'] as const).map(
      (point): Field => ({ kind: 'number', key: point, label: t(`mapping.${key}_${point}`), half: true }),
    ),
  })
  const choice = (key: string, values: readonly string[], more: Partial<Field> = {}): Field =>
    ({
      kind: 'enum',
      key,
      label: t(`${key}Title`),
      help: t(`${key}Help`),
      half: true,
      options: values.map(value => ({ value, label: t(`${key}Words.${value}`) })),
      ...more,
    }) as Field
  const mode =
    (...modes: string[]) =>
    (values: Values) =>
      modes.includes(String(values.mode))
  return [
    { kind: 'object', key: 'mapping', label: t('mappingTitle'), visible: numeric, fields: [line('up'), line('down')] },
    choice('outOfRange', RANGE_POLICIES, { visible: numeric }),
    choice('late', LATE_POLICIES, { visible: reported }),
    {
      kind: 'bool',
      key: 'history',
      label: t('history'),
      help: t('historyHelp'),
      half: true,
      visible: reported,
    },
    {
      kind: 'number',
      key: 'retentionDays',
      label: t('retentionDays'),
      help: t('retentionDaysHelp'),
      integer: true,
      min: 1,
      max: LIMITS.retentionDays,
      half: true,
      visible: values => reported(values) && values.history !== false,
    },
    {
      kind: 'object',
      key: 'store',
      label: t('storeTitle'),
      visible: values => reported(values) && values.history !== false,
      fields: [
        {
          kind: 'enum',
          key: 'mode',
          label: t('storeMode'),
          required: true,
          display: 'cards',
          options: STORE_MODES.map(value => ({ value, label: t(`store.${value}`), help: t(`store.${value}Help`) })),
        },
        {
          kind: 'number',
          key: 'seconds',
          label: t('storeSeconds'),
          unit: 's',
          min: 0.001,
          max: LIMITS.storeSeconds,
          required: true,
          half: true,
          visible: mode('interval'),
        },
        {
          kind: 'number',
          key: 'band',
          label: t('storeBand'),
          min: 0,
          required: true,
          half: true,
          visible: mode('deadband'),
        },
        { kind: 'bool', key: 'percent', label: t('storePercent'), half: true, visible: mode('deadband') },
        {
          kind: 'number',
          key: 'maxSeconds',
          label: t('storeMax'),
          help: t('storeMaxHelp'),
          unit: 's',
          min: 1,
          max: LIMITS.storeSeconds,
          half: true,
          visible: mode('deadband', 'change'),
        },
      ],
    },
  ]
}

/** The few fields of the quick mode: what it is called and, by its kind, a unit or the names of its states. */
export function quickFields(t: T, taken: readonly string[], kind: SensorKindName | null): Field[] {
  const words: Field[] =
    kind === 'levels'
      ? [
          {
            kind: 'object',
            key: 'dataType',
            label: '',
            fields: dataTypeFields(t).filter(field => field.key === 'items'),
          },
        ]
      : kind === 'switch' || kind === 'indicator'
        ? [
            {
              kind: 'object',
              key: 'dataType',
              label: '',
              fields: dataTypeFields(t).filter(field => field.key === 'falseText' || field.key === 'trueText'),
            },
          ]
        : []
  const all = propertyFields(t, taken)
  const pick = (...keys: string[]) => all.filter(field => keys.includes(field.key))
  return [
    ...pick('name', 'identifier'),
    ...(kind === 'number' ? pick('unit', 'decimals') : []),
    ...words,
    ...pick('group', 'history'),
  ]
}

/** @param taken identifiers of the other events */
export function eventFields(t: T, taken: readonly string[]): Field[] {
  return [
    ...namingFields(t, identifier => (taken.includes(identifier) ? t('problem.identifier_duplicate') : null)),
    {
      kind: 'enum',
      key: 'level',
      label: t('level'),
      required: true,
      display: 'segmented',
      options: LEVELS.map(value => ({ value, label: t(`levels.${value}`) })),
    },
    params(t, 'params', t('params')),
    description(t),
  ]
}

/** @param taken identifiers of the other services */
export function serviceFields(t: T, taken: readonly string[]): Field[] {
  return [
    ...namingFields(t, identifier => (taken.includes(identifier) ? t('problem.identifier_duplicate') : null)),
    {
      kind: 'enum',
      key: 'async',
      label: t('callType'),
      required: true,
      display: 'cards',
      options: [
        { value: 'sync', label: t('sync'), help: t('syncHelp') },
        { value: 'async', label: t('async'), help: t('asyncHelp') },
      ],
    },
    {
      kind: 'number',
      key: 'timeoutSeconds',
      label: t('timeout'),
      help: t('timeoutHelp'),
      min: 0.1,
      max: LIMITS.timeoutMs / 1000,
      unit: 's',
      half: true,
    },
    { kind: 'bool', key: 'danger', label: t('danger'), help: t('dangerHelp'), half: true },
    {
      kind: 'string',
      key: 'confirmText',
      label: t('confirmText'),
      help: t('confirmTextHelp'),
      maxLength: 200,
      visible: values => values.danger === true,
    },
    params(t, 'input', t('input')),
    params(t, 'output', t('output')),
    description(t),
  ]
}
