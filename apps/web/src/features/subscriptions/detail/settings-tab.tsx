import type { ConditionRule, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { writeValue } from '../editor/draft.ts'
import { PayloadPreview } from '../editor/payload-preview.tsx'
import { NameList } from '../name-list.tsx'
import css from '../subscriptions.module.css'

const OPERATOR: Record<Exclude<ConditionRule['op'], 'contains' | 'exists'>, string> = {
  eq: '=',
  ne: '≠',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
}

type T = TFunction<'subscriptions'>
type Fact = [label: string, value: ReactNode, wide?: boolean]

/** Targets for which it matters how many go at once. */
const BATCHED: readonly string[] = ['webhook', 'nats', 'kafka']

/** What is sent, of which devices, where to and how it looks. */
export function SettingsTab({ view }: { view: SubscriptionView }) {
  const { t } = useTranslation('subscriptions')
  const { filter, target, payload, batching } = view
  const facts = (given: Fact[]) => (
    <Facts items={given.map(([label, value, wide]) => ({ label, value, ...(wide ? { wide } : {}) }))} />
  )
  return (
    <Stack>
      <div className={css.panels}>
        <Panel title={t('sections.content')}>
          {facts([
            [t('kinds'), view.kinds.map(kind => t(`kind.${kind}`)).join(t('comma')), true],
            ...(narrowsDevices(filter) ? [] : [[t('scope'), t('scopeAll'), true] satisfies Fact]),
            ...filterFacts(filter, t),
          ])}
        </Panel>
        <Panel title={t('sections.target')}>{facts(targetFacts(target, t))}</Panel>
        <Panel title={t('sections.delivery')}>
          {facts([
            ...(BATCHED.includes(target.kind)
              ? ([
                  [t('maxItems'), formatNumber(batching.maxItems)],
                  [t('waitMs'), formatNumber(batching.waitMs, { unit: 'ms' })],
                ] satisfies Fact[])
              : []),
            [t('createdBy'), view.createdBy ?? '–'],
            [t('createdAt'), formatDateTime(view.createdAt)],
            [t('updatedAt'), formatDateTime(view.updatedAt)],
          ])}
        </Panel>
      </div>
      <PayloadPreview
        request={{ payload, kinds: view.kinds, filter }}
        single={target.kind !== 'webhook'}
        title={`${t('sections.payload')} · ${t(`format.${payload.format}`)}`}
      />
    </Stack>
  )
}

/** Facts that there are; what is not set is not told. */
const only = (given: [label: string, value: ReactNode, wide?: boolean][]): Fact[] =>
  given.filter(([, value]) => value !== null && value !== undefined && value !== '')

const mono = (value: string | undefined) => (value ? <CopyId value={value} /> : null)
const names = (kind: 'product' | 'group' | 'device' | 'user', ids: readonly string[] | undefined) =>
  ids?.length ? <NameList kind={kind} ids={ids} /> : null

function narrowsDevices({ productIds, groupIds, deviceIds, userIds, tags }: SubscriptionView['filter']): boolean {
  return [productIds, groupIds, deviceIds, userIds, tags].some(list => (list?.length ?? 0) > 0)
}

function filterFacts(filter: SubscriptionView['filter'], t: T): Fact[] {
  const words = (list: readonly string[] | undefined) =>
    list?.length ? <span dir="auto">{list.join(t('comma'))}</span> : null
  const { condition } = filter
  return only([
    [t('products'), names('product', filter.productIds)],
    [t('groups'), names('group', filter.groupIds)],
    [t('devices'), names('device', filter.deviceIds)],
    [t('users'), names('user', filter.userIds)],
    [t('tags'), words(filter.tags)],
    [t('identifiers'), words(filter.identifiers)],
    [t('events'), words(filter.events)],
    [t('every'), filter.everySeconds ? formatDuration(filter.everySeconds * 1000) : null],
    [
      t('condition'),
      condition ? (
        <code key="condition" className={css.mono}>
          {condition.rules.map(ruleText).join(condition.match === 'all' ? '  &&  ' : '  ||  ')}
        </code>
      ) : null,
      true,
    ],
  ])
}

function targetFacts(target: SubscriptionView['target'], t: T): Fact[] {
  const { kind } = target
  return only([
    [t('target'), t(`targets.${kind}`)],
    [kind === 'nats' ? t('natsUrl') : t('url'), mono(target.url), true],
    [t('subject'), mono(target.subject), true],
    [t('brokers'), target.brokers?.join(t('comma')), true],
    [t('topic'), mono(target.topic)],
    [t('topicFilter'), mono(target.topicFilter), true],
    [t('path'), mono(target.path), true],
    [t('username'), mono(target.username), true],
    [t('headers'), target.headers?.join(t('comma')), true],
    [t('signed'), kind === 'webhook' ? t('yes') : null],
    [t('password'), target.hasPassword ? t('isSet') : null],
    [t('tls'), kind === 'kafka' ? t(target.tls ? 'yes' : 'no') : null],
    [t('mechanism'), target.mechanism],
    [t('jetStream'), target.jetStream ? t('yes') : null],
  ])
}

/** A rule as one would write it down: `temperature > 30`. */
function ruleText({ identifier, op, value }: ConditionRule): string {
  if (op === 'exists') return `${identifier} ∃`
  if (op === 'contains') return `${identifier} ∋ ${writeValue(value)}`
  return `${identifier} ${OPERATOR[op]} ${writeValue(value)}`
}
