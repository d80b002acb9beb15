import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import type { TFunction } from 'i18next'
import { formatNumber } from '../../lib/format.ts'
import { type Condition, innerOf, isGroup } from './conditions.ts'
import type { Draft } from './draft.ts'
import { NAME } from './editor/source-fields.tsx'

type Rule = Pick<TriggerView, 'kind' | 'property' | 'high' | 'low' | 'value' | 'minutes' | 'condition'> &
  Partial<Pick<TriggerView, 'fenceNames' | 'source'>>

/** What a trigger watches for, as a sentence: `Temperature above 30`. `name` of a property is its name for people. */
export function sentenceOf(rule: Rule, t: TFunction<'triggers'>, name: (identifier: string) => string): string {
  if (rule.kind === 'object') return sourceText(rule.source, t)
  if (rule.kind === 'general') return conditionText(rule.condition as unknown as Condition, t, name, rule.fenceNames)
  return t(`sentence.${rule.kind}`, {
    property: rule.property === undefined ? '' : name(rule.property),
    high: formatNumber(rule.high),
    low: formatNumber(rule.low),
    value: rule.value === undefined ? '' : String(rule.value),
    count: rule.minutes ?? 0,
  })
}

/** What a trigger about cards, gateways or cameras waits for, in words. */
function sourceText(source: TriggerView['source'], t: TFunction<'triggers'>): string {
  const { type, percent, days, state, alarmType } = (source ?? {}) as Draft['source']
  return t(`source.said.${NAME[type] ?? 'usage'}`, {
    percent: percent ?? 0,
    count: days ?? 0,
    state: state === undefined ? '' : t(`source.states.${state as 'stopped'}`),
    alarmType: alarmType ?? t('source.any'),
  })
}

/** A condition in words, inner ones in brackets. */
export function conditionText(
  condition: Condition | undefined,
  t: TFunction<'triggers'>,
  name: (identifier: string) => string,
  fences: Readonly<Record<string, string>> = {},
): string {
  if (!condition) return '–'
  const inner = innerOf(condition).map(each => {
    const text = conditionText(each, t, name, fences)
    return isGroup(each.type) && innerOf(each).length > 1 ? t('bracket', { text }) : text
  })
  const { type } = condition
  if (type === 'all' || type === 'any') return inner.join(t(`join.${type}`))
  if (type === 'geofence')
    return t(condition.seconds === undefined ? 'saidFence' : 'saidFenceFor', {
      when: t(`fenceWhen.${condition.when as 'enter'}`),
      fence: fences[String(condition.fence)] ?? t('fence'),
      count: Number(condition.seconds ?? 0) / 60,
    })
  return t(`said.${type}`, {
    inner: inner[0] ?? '',
    property:
      typeof condition.property === 'string' && condition.property !== '' ? name(condition.property) : t('anything'),
    op: typeof condition.op === 'string' ? t(`op.${condition.op as 'gt'}`) : '',
    value: valueText(condition, name),
    seconds: formatNumber(condition.seconds as number | undefined),
    times: formatNumber(condition.times as number | undefined),
    by: formatNumber((condition.by ?? condition.perMinute ?? condition.sigmas) as number | undefined),
    key: String(condition.key ?? condition.identifier ?? condition.command ?? ''),
  })
}

function valueText(condition: Condition, name: (identifier: string) => string): string {
  const other = condition.with as { property?: string } | undefined
  if (other?.property) return name(other.property)
  if (condition.op === 'between' || condition.op === 'outside')
    return `${formatNumber(condition.low as number)}–${formatNumber(condition.high as number)}`
  if (Array.isArray(condition.values)) return condition.values.join(', ')
  return typeof condition.value === 'number' ? formatNumber(condition.value) : String(condition.value ?? '')
}
