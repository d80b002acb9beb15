import { Checkbox } from 'antd'
import type { TFunction } from 'i18next'
import type { Field, Values } from '../../../ui/schema-form/field.ts'

type T = TFunction<'ota'>

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/
const DAYS = [1, 2, 3, 4, 5, 6, 7] as const
const on = (key: string) => (values: Values) => values[key] === true

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const timeField = (t: T, key: string, label: string): Field => ({
  key,
  kind: 'string',
  label,
  required: true,
  half: true,
  mono: true,
  maxLength: 5,
  placeholder: '01:00',
  pattern: TIME,
  patternText: t('timeRule'),
  visible: on('windowOn'),
})

/** How many devices are told in a minute. Those that ask by themselves need none of it. */
export function rateFields(t: T, pulled: (values: Values) => boolean = () => false): Field[] {
  const growing = (values: Values) => !pulled(values) && values.rateKind === 'exponential'
  const shown = (values: Values) => !pulled(values)
  const whole = { kind: 'number', integer: true, required: true, third: true } as const
  return [
    {
      key: 'rateKind',
      kind: 'enum',
      label: t('rate'),
      required: true,
      display: 'cards',
      visible: shown,
      options: (['constant', 'exponential'] as const).map(value => ({
        value,
        label: t(`rateKind.${value}`),
        help: t(`rateKindHelp.${value}`),
      })),
    },
    {
      ...whole,
      key: 'perMinute',
      label: t('perMinute'),
      unit: t('perMinuteUnit'),
      min: 1,
      max: 60_000,
      visible: shown,
    },
    { ...whole, key: 'factor', integer: false, label: t('factor'), min: 1.1, max: 5, step: 0.1, visible: growing },
    { ...whole, key: 'everySucceeded', label: t('everySucceeded'), min: 1, max: 100_000, visible: growing },
    {
      ...whole,
      key: 'maxPerMinute',
      label: t('maxPerMinute'),
      unit: t('perMinuteUnit'),
      min: 1,
      max: 60_000,
      visible: growing,
    },
    {
      ...whole,
      key: 'maxActive',
      required: false,
      label: t('maxActive'),
      help: t('maxActiveHelp'),
      min: 1,
      max: 100_000,
      visible: shown,
    },
  ]
}

/** Hours in which devices may be told. */
export function windowFields(t: T): Field[] {
  return [
    { key: 'windowOn', kind: 'bool', label: t('window'), help: t('windowHelp') },
    timeField(t, 'windowFrom', t('windowFrom')),
    timeField(t, 'windowUntil', t('windowUntil')),
    {
      key: 'days',
      kind: 'custom',
      label: t('windowDays'),
      help: t('windowDaysHelp'),
      visible: on('windowOn'),
      render: input => (
        <Checkbox.Group
          disabled={input.disabled}
          value={(input.value as number[] | undefined) ?? []}
          options={DAYS.map(value => ({ value, label: t(`day.${value}`) }))}
          onChange={days => input.onChange(days)}
        />
      ),
    },
    {
      key: 'zone',
      kind: 'enum',
      label: t('zone'),
      required: true,
      display: 'segmented',
      visible: on('windowOn'),
      options: (['device', 'fixed'] as const).map(value => ({ value, label: t(`zones.${value}`) })),
      help: t('zoneHelp'),
    },
    {
      key: 'timeZoneProperty',
      kind: 'string',
      label: t('zoneProperty'),
      help: t('zonePropertyHelp'),
      mono: true,
      maxLength: 64,
      visible: values => values.windowOn === true && values.zone === 'device',
      half: true,
    },
    {
      key: 'timeZone',
      kind: 'string',
      label: t('zoneName'),
      placeholder: 'Asia/Shanghai',
      required: true,
      mono: true,
      maxLength: 64,
      visible: values => values.windowOn === true && values.zone === 'fixed',
      check: value => (typeof value !== 'string' || isZone(value.trim()) ? null : t('zoneRule')),
      half: true,
    },
  ]
}

/** How long each phase may take, how often it is tried again, and when the whole stops. */
export function safetyFields(t: T): Field[] {
  const seconds = { kind: 'duration', required: true, third: true, max: 604_800 } as const
  return [
    { ...seconds, key: 'respondSeconds', label: t('respond'), help: t('respondHelp'), min: 5 },
    { ...seconds, key: 'downloadSeconds', label: t('download'), help: t('downloadHelp'), min: 10 },
    { ...seconds, key: 'installSeconds', label: t('install'), help: t('installHelp'), min: 10 },
    {
      key: 'retries',
      kind: 'number',
      label: t('retries'),
      help: t('retriesHelp'),
      integer: true,
      required: true,
      min: 0,
      max: 10,
      half: true,
    },
    {
      key: 'backoffSeconds',
      kind: 'duration',
      label: t('backoff'),
      help: t('backoffHelp'),
      required: true,
      min: 0,
      max: 86_400,
      visible: values => Number(values.retries) > 0,
      half: true,
    },
    { key: 'autoStopOn', kind: 'bool', label: t('autoStop'), help: t('autoStopHelp') },
    {
      key: 'failurePercent',
      kind: 'number',
      label: t('failurePercent'),
      unit: '%',
      required: true,
      min: 0,
      max: 100,
      visible: on('autoStopOn'),
      half: true,
    },
    {
      key: 'afterDevices',
      kind: 'number',
      label: t('afterDevices'),
      help: t('afterDevicesHelp'),
      integer: true,
      required: true,
      min: 1,
      max: 100_000,
      visible: on('autoStopOn'),
      half: true,
    },
  ]
}
