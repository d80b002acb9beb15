import type { LoraConnectionView, LoraRegionItem } from '@thingwright/contracts/lora.contract'
import {
  LORA_APP_LAYERS,
  LORA_CODECS,
  LORA_MAC_VERSIONS,
  LORA_MEASUREMENTS,
  LORA_REG_PARAMS,
  LORA_REGIONS,
} from '@thingwright/contracts/lora.words'
import { Spin } from 'antd'
import type { TFunction } from 'i18next'
import { lazy, Suspense } from 'react'
import type { Field, Values } from '../../ui/schema-form/field.ts'
import { tagsField } from './tags-field.ts'

const CodeEditor = lazy(async () => ({ default: (await import('../../ui/code-editor/code-editor.tsx')).CodeEditor }))

export const PROFILE_TABS = ['general', 'join', 'classB', 'classC', 'codec', 'tags', 'measurements'] as const
export type ProfileTab = (typeof PROFILE_TABS)[number]

export interface ProfileFieldsInput {
  t: TFunction<'lora'>
  /** Null: it is being changed, and stays where it is. */
  connections: readonly LoraConnectionView[] | null
  regions: readonly LoraRegionItem[]
  readOnly: boolean
}

const words = <W extends string>(all: readonly W[], label: (word: W) => string) =>
  all.map(value => ({ value, label: label(value) }))
const isB = (values: Values) => values.supportsClassB === true
const isC = (values: Values) => values.supportsClassC === true
const isAbp = (values: Values) => values.supportsOtaa === false

/** The fields of a device profile, by the tabs that ChirpStack's own console has. */
export function profileFields({ t, connections, regions, readOnly }: ProfileFieldsInput): Record<ProfileTab, Field[]> {
  const number = (key: string, min: number, max: number, more: Partial<Field> = {}): Field =>
    ({
      key,
      kind: 'number',
      integer: true,
      label: t(`profile.${key}` as 'profile.rx1Delay'),
      half: true,
      required: true,
      min,
      max,
      ...more,
    }) as Field
  const truth = (key: string): Field =>
    ({
      key,
      kind: 'bool',
      label: t(`profile.${key}` as 'profile.supportsOtaa'),
      help: t(`profile.${key}Help` as 'profile.supportsOtaaHelp'),
    }) as Field
  const layers = words(LORA_APP_LAYERS, word => (word === 'none' ? t('profile.notUsed') : word))
  return {
    general: [
      ...(connections
        ? [
            {
              key: 'connectionId',
              kind: 'enum' as const,
              label: t('connection.one'),
              required: true,
              options: connections.map(({ id, name }) => ({ value: id, label: name })),
            },
          ]
        : []),
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 100 },
      { key: 'description', kind: 'string', label: t('description'), rows: 2, maxLength: 1000, cleared: '' },
      {
        key: 'region',
        kind: 'enum',
        label: t('region.one'),
        required: true,
        half: true,
        disabled: connections === null,
        ...(connections === null ? { help: t('profile.regionFixed') } : {}),
        options: words(LORA_REGIONS, word => word),
      },
      {
        key: 'regionConfigId',
        kind: 'enum',
        label: t('region.config'),
        half: true,
        cleared: '',
        help: t('profile.regionConfigHelp'),
        options: regions.map(({ id, description }) => ({ value: id, label: `${id} · ${description}` })),
      },
      {
        key: 'macVersion',
        kind: 'enum',
        label: t('profile.macVersion'),
        required: true,
        half: true,
        options: words(LORA_MAC_VERSIONS, word => `LoRaWAN ${word}`),
      },
      {
        key: 'regParamsRevision',
        kind: 'enum',
        label: t('profile.regParamsRevision'),
        required: true,
        half: true,
        options: words(LORA_REG_PARAMS, word => word),
      },
      {
        key: 'adrAlgorithmId',
        kind: 'enum',
        label: t('profile.adrAlgorithmId'),
        required: true,
        half: true,
        options: (['default', 'lr_fhss', 'lora_lr_fhss'] as const).map(value => ({
          value,
          label: t(`profile.adr.${value}`),
        })),
      },
      {
        key: 'uplinkInterval',
        kind: 'duration',
        label: t('profile.uplinkInterval'),
        required: true,
        half: true,
        min: 1,
        max: 31_536_000,
        help: t('profile.uplinkIntervalHelp'),
      },
      number('deviceStatusReqInterval', 0, 86_400, { help: t('profile.deviceStatusReqIntervalHelp') }),
      number('rx1Delay', 0, 15, { help: t('profile.rx1DelayHelp') }),
      truth('flushQueueOnActivate'),
      truth('allowRoaming'),
      {
        key: 'appLayer',
        kind: 'object',
        label: t('profile.appLayer'),
        fields: (['ts003', 'ts004', 'ts005'] as const).flatMap((name): Field[] => [
          {
            key: `${name}Version`,
            kind: 'enum',
            label: t(`profile.${name}`),
            required: true,
            half: true,
            options: layers,
          },
          {
            key: `${name}Port`,
            kind: 'number',
            integer: true,
            label: t('profile.port'),
            required: true,
            half: true,
            min: 0,
            max: 255,
          },
        ]),
      },
    ],
    join: [
      truth('supportsOtaa'),
      number('abpRx1Delay', 0, 15, { visible: isAbp }),
      number('abpRx1DrOffset', 0, 15, { visible: isAbp }),
      number('abpRx2Dr', 0, 15, { visible: isAbp }),
      number('abpRx2Freq', 0, 4_000_000_000, { visible: isAbp, unit: 'Hz' }),
    ],
    classB: [
      truth('supportsClassB'),
      number('classBTimeout', 0, 86_400, { visible: isB, unit: t('seconds') }),
      {
        key: 'classBPingSlotPeriodicity',
        kind: 'enum',
        label: t('profile.classBPingSlotPeriodicity'),
        required: true,
        half: true,
        visible: isB,
        options: Array.from({ length: 8 }, (_, value) => ({
          value,
          label: t('profile.everySeconds', { count: 2 ** value }),
        })),
      },
      number('classBPingSlotDr', 0, 15, { visible: isB }),
      number('classBPingSlotFreq', 0, 4_000_000_000, { visible: isB, unit: 'Hz', help: t('profile.frequencyHelp') }),
      { ...truth('classBDownlinkOnly'), visible: isB },
    ],
    classC: [
      truth('supportsClassC'),
      number('classCTimeout', 0, 86_400, { visible: isC, unit: t('seconds'), help: t('profile.classCTimeoutHelp') }),
    ],
    codec: [
      {
        key: 'codecRuntime',
        kind: 'enum',
        label: t('profile.codec'),
        required: true,
        display: 'segmented',
        options: words(LORA_CODECS, word => t(`profile.codecs.${word}`)),
      },
      {
        key: 'codecScript',
        kind: 'custom',
        label: t('profile.codecScript'),
        help: t('profile.codecScriptHelp'),
        cleared: '',
        visible: values => values.codecRuntime === 'js',
        render: ({ value, onChange, disabled }) => (
          <Suspense fallback={<Spin />}>
            <CodeEditor
              label={t('profile.codecScript')}
              value={typeof value === 'string' ? value : ''}
              readOnly={disabled || readOnly}
              onChange={onChange}
            />
          </Suspense>
        ),
      },
    ],
    tags: [tagsField(t, t('profile.tagsHelp'))],
    measurements: [
      truth('autoDetectMeasurements'),
      {
        key: 'measurements',
        kind: 'array',
        label: t('profile.measurements'),
        maxItems: 200,
        help: t('profile.measurementsHelp'),
        fresh: () => ({ key: '', name: '', kind: 'gauge' }),
        element: {
          key: 'measurement',
          kind: 'object',
          label: t('profile.measurement'),
          fields: [
            {
              key: 'key',
              kind: 'string',
              label: t('profile.measurementKey'),
              required: true,
              third: true,
              maxLength: 100,
              mono: true,
            },
            { key: 'name', kind: 'string', label: t('name'), third: true, maxLength: 100, cleared: '' },
            {
              key: 'kind',
              kind: 'enum',
              label: t('profile.measurementKind'),
              required: true,
              third: true,
              options: words(LORA_MEASUREMENTS, word => t(`profile.kinds.${word}`)),
            },
          ],
        },
      },
    ],
  }
}
