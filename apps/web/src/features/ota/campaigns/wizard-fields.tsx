import type { ThingModel } from '@thingwright/thing-model/model'
import type { TFunction } from 'i18next'
import { serverNow } from '../../../lib/server-clock.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { DevicePicker } from '../components/device-picker.tsx'
import { GroupsPicker } from '../components/groups-picker.tsx'
import { PackageSelect } from '../components/package-select.tsx'
import { VERSION_PATTERN } from '../packages/package-fields.ts'
import { rateFields, safetyFields, windowFields } from './plan-fields.tsx'

type T = TFunction<'ota'>

export const STEPS = ['package', 'devices', 'way', 'safety', 'check'] as const
export type Step = (typeof STEPS)[number]

const SCOPES = ['gray', 'all', 'chosen', 'group', 'region'] as const
const OPERATORS = ['gt', 'gte', 'lt', 'lte', 'eq', 'ne'] as const
const kind =
  (...kinds: string[]) =>
  (values: Values) =>
    kinds.includes(String(values.scopeKind))

/** What goes where, and what it is called. */
export function packageStep(
  t: T,
  known: { productId: string | null; onPackage: (name: string | null) => void },
): Field[] {
  return [
    {
      key: 'packageId',
      kind: 'custom',
      label: t('package.title'),
      help: t('packageHelp'),
      required: true,
      render: input => (
        <PackageSelect
          id={input.id}
          value={(input.value as string | undefined) ?? null}
          productId={known.productId}
          disabled={input.disabled}
          invalid={input.invalid}
          onChange={(next, chosen) => {
            input.onChange(next ?? undefined)
            known.onPackage(chosen === null ? null : `${chosen.productName} ${chosen.version}`.slice(0, 64))
          }}
        />
      ),
    },
    { key: 'name', kind: 'string', label: t('campaignName'), required: true, maxLength: 64 },
  ]
}

/** Which devices. */
export function devicesStep(t: T, productId: string | null, versions: readonly string[]): Field[] {
  return [
    {
      key: 'scopeKind',
      kind: 'enum',
      label: t('scope'),
      required: true,
      display: 'cards',
      options: SCOPES.map(value => ({ value, label: t(`scopes.${value}`), help: t(`scopeHelp.${value}`) })),
    },
    {
      key: 'percent',
      kind: 'number',
      label: t('percentOf'),
      unit: '%',
      integer: true,
      required: true,
      min: 1,
      max: 100,
      visible: kind('gray'),
      half: true,
    },
    {
      key: 'deviceIds',
      kind: 'custom',
      label: t('devices'),
      required: true,
      visible: kind('chosen'),
      render: input => (
        <DevicePicker
          id={input.id}
          productId={productId}
          max={10_000}
          value={(input.value as string[] | undefined) ?? []}
          disabled={input.disabled}
          invalid={input.invalid}
          onChange={input.onChange}
        />
      ),
    },
    ...(['group', 'gray'] as const).map(
      (of): Field => ({
        // The same value, demanded by one kind and optional in the other.
        key: 'groupIds',
        kind: 'custom',
        label: of === 'group' ? t('groups') : t('groupsOf'),
        required: of === 'group',
        visible: kind(of),
        half: of === 'gray',
        render: input => (
          <GroupsPicker
            id={input.id}
            value={(input.value as string[] | undefined) ?? []}
            disabled={input.disabled}
            invalid={input.invalid}
            onChange={input.onChange}
          />
        ),
      }),
    ),
    {
      key: 'region',
      kind: 'string',
      label: t('region'),
      help: t('regionHelp'),
      required: true,
      maxLength: 64,
      visible: kind('region'),
      half: true,
    },
    {
      key: 'fromVersions',
      kind: 'tags',
      label: t('fromVersions'),
      help: t('fromVersionsHelp'),
      maxItems: 50,
      maxLength: 64,
      suggestions: versions,
      check: value =>
        ((value as string[] | undefined) ?? []).every(each => VERSION_PATTERN.test(each)) ? null : t('versionRule'),
      half: true,
    },
    {
      key: 'tag',
      kind: 'string',
      label: t('tag'),
      help: t('tagHelp'),
      maxLength: 64,
      visible: values => values.scopeKind !== 'chosen',
      half: true,
    },
    { key: 'supersede', kind: 'bool', label: t('supersede'), help: t('supersedeHelp'), half: true },
    { key: 'allowDowngrade', kind: 'bool', label: t('downgrade'), help: t('downgradeHelp'), half: true },
  ]
}

/** How they are told, when, and how fast. */
export function wayStep(t: T): Field[] {
  const cards = (key: string, words: string, values: readonly string[]): Field => ({
    key,
    kind: 'enum',
    label: t(`${words}.title`),
    required: true,
    display: 'cards',
    options: values.map(value => ({ value, label: t(`${words}.${value}`), help: t(`${words}.${value}Help`) })),
  })
  return [
    cards('method', 'method', ['static', 'dynamic']),
    cards('delivery', 'delivery', ['push', 'pull']),
    { key: 'confirm', kind: 'bool', label: t('confirmEach'), help: t('confirmEachHelp') },
    {
      key: 'startMode',
      kind: 'enum',
      label: t('start'),
      required: true,
      display: 'segmented',
      options: (['now', 'at'] as const).map(value => ({ value, label: t(`starts.${value}`) })),
      third: true,
    },
    {
      key: 'startAt',
      kind: 'date',
      label: t('startAt'),
      required: true,
      visible: values => values.startMode === 'at',
      check: value => (typeof value === 'number' && value < serverNow() ? t('startPast') : null),
      third: true,
    },
    {
      key: 'endAt',
      kind: 'date',
      label: t('endAt'),
      help: t('endAtHelp'),
      check: (value, values) =>
        typeof value === 'number' && value <= Math.max(serverNow(), Number(values.startAt ?? 0)) ? t('endPast') : null,
      third: true,
    },
    ...rateFields(t, values => values.delivery === 'pull'),
    ...windowFields(t),
  ]
}

/** What must hold of a device, how long it may take, and when the whole stops. */
export function safetyStep(t: T, model: ThingModel | null, english: boolean): Field[] {
  return [
    {
      key: 'preconditions',
      kind: 'array',
      label: t('preconditions'),
      help: t('preconditionsHelp'),
      maxItems: 10,
      fresh: () => ({ operator: 'gt' }),
      element: {
        key: 'element',
        label: '',
        kind: 'object',
        fields: [
          model && model.properties.length > 0
            ? {
                key: 'identifier',
                kind: 'enum',
                label: t('property'),
                required: true,
                options: model.properties.map(property => ({
                  value: property.identifier,
                  label: nameOf(property, english),
                })),
                third: true,
              }
            : {
                key: 'identifier',
                kind: 'string',
                label: t('property'),
                required: true,
                mono: true,
                maxLength: 64,
                third: true,
              },
          {
            key: 'operator',
            kind: 'enum',
            label: t('operator'),
            required: true,
            options: OPERATORS.map(value => ({ value, label: t(`operators.${value}`) })),
            third: true,
          },
          { key: 'value', kind: 'string', label: t('value'), required: true, maxLength: 128, third: true },
          { key: 'maxAgeSeconds', kind: 'duration', label: t('maxAge'), min: 1, max: 2_592_000, half: true },
        ],
      },
    },
    ...safetyFields(t),
  ]
}
