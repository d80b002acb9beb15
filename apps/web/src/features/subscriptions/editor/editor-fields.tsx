import type { SubscriptionTargetKind, SubscriptionView } from '@thingwright/contracts/subscriptions.contract'
import { PAYLOAD_FORMATS, SASL_MECHANISMS } from '@thingwright/contracts/subscriptions.words'
import { Select } from 'antd'
import type { TFunction } from 'i18next'
import type { CustomInput, Field, Values } from '../../../ui/schema-form/field.ts'
import { GroupsSelect, ManySelect } from '../../../ui/thing-pickers.tsx'
import { ConditionInput } from './condition-input.tsx'
import { asksData, ruleProblem, type TypedCondition } from './draft.ts'
import { KindBoxes } from './kind-boxes.tsx'
import { TemplateInput } from './template-input.tsx'

type T = TFunction<'subscriptions'>

export interface FieldFacts {
  t: T
  /** The subscription that is changed; null: a new one. */
  view: SubscriptionView | null
  targets: readonly SubscriptionTargetKind[]
  /** Identifiers of the chosen products' things. */
  properties: readonly string[]
  events: readonly string[]
  /** Data of a real item. */
  sample: Readonly<Record<string, unknown>>
}

const kindsOf = (values: Values) => (values.kinds as string[] | undefined) ?? []
const has = (kind: string) => (values: Values) => kindsOf(values).includes(kind)
const isTarget =
  (...kinds: string[]) =>
  (values: Values) =>
    kinds.includes(String(values['target.kind']))
const isTemplate = (values: Values) => values['payload.format'] === 'template'

/** A field of the form in the section that it stands in. */
export type SectionName = 'content' | 'scope' | 'target' | 'payload' | 'delivery'

/** Every field of a subscription by section; keys are the paths of the API, so that its complaints find their place. */
export function fieldsOf(facts: FieldFacts): Record<SectionName, Field[]> {
  return {
    content: contentFields(facts),
    scope: scopeFields(facts),
    target: targetFields(facts),
    payload: payloadFields(facts),
    delivery: deliveryFields(facts),
  }
}

function contentFields({ t }: FieldFacts): Field[] {
  return [
    { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64, placeholder: t('namePlaceholder') },
    {
      kind: 'custom',
      key: 'kinds',
      label: t('kinds'),
      required: true,
      render: input => <KindBoxes {...given(input)} value={list(input.value)} />,
    },
  ]
}

function scopeFields({ t, properties, events }: FieldFacts): Field[] {
  const many = (kind: 'product' | 'device' | 'user', key: string, label: string, help: string): Field => ({
    kind: 'custom',
    key,
    label,
    help,
    half: true,
    render: input => <ManySelect {...given(input)} kind={kind} value={list(input.value)} placeholder={t('any')} />,
  })
  const names = (key: string, label: string, help: string, suggestions: readonly string[], kind: string): Field => ({
    kind: 'custom',
    key,
    label,
    help,
    half: true,
    visible: has(kind),
    render: input => (
      <Select
        id={input.id}
        mode="tags"
        style={{ width: '100%' }}
        disabled={input.disabled}
        placeholder={t('any')}
        tokenSeparators={[',', ' ', '\uff0c']}
        maxTagCount={6}
        value={list(input.value)}
        options={suggestions.map(name => ({ value: name, label: name }))}
        onChange={(chosen: string[]) => input.onChange(chosen.map(each => each.trim()).filter(each => each !== ''))}
      />
    ),
  })
  return [
    many('product', 'filter.productIds', t('products'), t('productsHelp')),
    {
      kind: 'custom',
      key: 'filter.groupIds',
      label: t('groups'),
      help: t('groupsHelp'),
      half: true,
      render: input => <GroupsSelect {...given(input)} value={list(input.value)} placeholder={t('any')} />,
    },
    many('device', 'filter.deviceIds', t('devices'), t('devicesHelp')),
    many('user', 'filter.userIds', t('users'), t('usersHelp')),
    {
      kind: 'tags',
      key: 'filter.tags',
      label: t('tags'),
      help: t('tagsHelp'),
      half: true,
      maxItems: 20,
      placeholder: t('any'),
    },
    names('filter.identifiers', t('identifiers'), t('identifiersHelp'), properties, 'property'),
    names('filter.events', t('events'), t('eventsHelp'), events, 'event'),
    {
      kind: 'custom',
      key: 'filter.condition',
      label: t('condition'),
      help: t('conditionHelp'),
      visible: values => asksData(kindsOf(values)),
      check: value => {
        const wrong = ruleProblem((value as TypedCondition | undefined)?.rules ?? [])
        return wrong === null ? null : t(wrong)
      },
      render: input => (
        <ConditionInput {...given(input)} value={input.value as TypedCondition | undefined} names={properties} />
      ),
    },
    {
      kind: 'duration',
      key: 'filter.everySeconds',
      label: t('every'),
      help: t('everyHelp'),
      half: true,
      min: 1,
      max: 86_400,
      visible: has('property'),
    },
  ]
}

function targetFields({ t, view, targets }: FieldFacts): Field[] {
  const text = (key: string, label: string, more: Partial<Extract<Field, { kind: 'string' }>> = {}): Field => ({
    kind: 'string',
    key: `target.${key}`,
    label,
    ...more,
  })
  // What is there is not shown: an empty field leaves it, a filled one replaces it.
  const kept = (set: boolean | undefined) => (set ? { placeholder: t('unchanged') } : {})
  return [
    {
      kind: 'enum',
      key: 'target.kind',
      label: t('target'),
      required: true,
      display: 'cards',
      disabled: view !== null,
      ...(view ? { help: t('targetFixed') } : {}),
      options: targets.map(value => ({ value, label: t(`targets.${value}`), help: t(`targetHelp.${value}`) })),
    },
    text('url', t('url'), {
      required: true,
      mono: true,
      maxLength: 1024,
      placeholder: 'https://',
      pattern: /^https?:\/\/[^\s]+$/i,
      patternText: t('urlRule'),
      help: t('urlHelp'),
      visible: isTarget('webhook'),
    }),
    ...(view === null
      ? [
          text('secret', t('secret'), {
            secret: true,
            minLength: 16,
            maxLength: 128,
            pattern: /^[!-~]+$/,
            patternText: t('secretRule'),
            placeholder: t('ownSecretPlaceholder'),
            help: t('secretHelp'),
            visible: isTarget('webhook'),
          }),
        ]
      : []),
    {
      kind: 'array',
      key: 'target.headers',
      label: t('headers'),
      help: view?.target.headers?.length
        ? t('headersKept', { names: view.target.headers.join(t('comma')) })
        : t('headersHelp'),
      maxItems: 10,
      visible: isTarget('webhook'),
      fresh: () => ({ name: '', value: '' }),
      element: {
        kind: 'object',
        key: 'header',
        label: t('headers'),
        fields: [
          {
            kind: 'string',
            key: 'name',
            label: t('headerName'),
            required: true,
            half: true,
            mono: true,
            pattern: /^[A-Za-z0-9-]{1,64}$/,
            patternText: t('headerRule'),
          },
          {
            kind: 'string',
            key: 'value',
            label: t('headerValue'),
            required: true,
            half: true,
            mono: true,
            maxLength: 1024,
          },
        ],
      },
    },
    {
      kind: 'string',
      key: 'target.url',
      label: t('natsUrl'),
      required: true,
      mono: true,
      maxLength: 1024,
      placeholder: 'tls://nats.example.com:4222',
      pattern: /^(nats|tls):\/\/[^\s]+$/i,
      patternText: t('natsUrlRule'),
      visible: isTarget('nats'),
    },
    text('subject', t('subject'), {
      required: true,
      mono: true,
      maxLength: 256,
      placeholder: 'things.{type}.{productKey}.{deviceNo}',
      help: t('subjectHelp'),
      check: value =>
        /^[^\s.*>{}]+(\.[^\s.*>{}]+)*$/.test(String(value).replace(/\{(type|productKey|deviceNo)\}/g, 'x'))
          ? null
          : t('subjectRule'),
      visible: isTarget('nats'),
    }),
    {
      kind: 'tags',
      key: 'target.brokers',
      label: t('brokers'),
      required: true,
      maxItems: 10,
      placeholder: 'kafka-1.example.com:9092',
      visible: isTarget('kafka'),
      check: value => (list(value).every(each => /^[A-Za-z0-9.:[\]_-]+:\d{1,5}$/.test(each)) ? null : t('brokersRule')),
    },
    text('topic', t('topic'), {
      required: true,
      mono: true,
      maxLength: 249,
      pattern: /^[A-Za-z0-9._-]+$/,
      patternText: t('topicRule'),
      placeholder: 'things',
      visible: isTarget('kafka'),
    }),
    { kind: 'bool', key: 'target.tls', label: t('tls'), half: true, visible: isTarget('kafka') },
    {
      kind: 'enum',
      key: 'target.mechanism',
      label: t('mechanism'),
      half: true,
      options: SASL_MECHANISMS.map(value => ({ value, label: value })),
      placeholder: t('noSignIn'),
      // A password that is kept needs no new one.
      check: (value, values) =>
        value && (!values['target.username'] || (!values['target.password'] && !view?.target.hasPassword))
          ? t('mechanismRule')
          : null,
      visible: isTarget('kafka'),
    },
    text('username', t('username'), { half: true, maxLength: 128, visible: isTarget('nats', 'kafka') }),
    text('password', t('password'), {
      half: true,
      secret: true,
      maxLength: 256,
      visible: isTarget('nats', 'kafka'),
      ...kept(view?.target.hasPassword),
    }),
    text('token', t('token'), {
      secret: true,
      maxLength: 256,
      help: t('tokenHelp'),
      visible: isTarget('nats'),
      ...kept(view?.target.hasPassword),
    }),
    {
      kind: 'bool',
      key: 'target.jetStream',
      label: t('jetStream'),
      help: t('jetStreamHelp'),
      visible: isTarget('nats'),
    },
  ]
}

function payloadFields({ t, sample }: FieldFacts): Field[] {
  return [
    {
      kind: 'enum',
      key: 'payload.format',
      label: t('formatLabel'),
      check: (value, values) =>
        value === 'tlink' && kindsOf(values).some(kind => kind !== 'property' && kind !== 'state')
          ? t('tlinkRule')
          : null,
      required: true,
      display: 'cards',
      options: PAYLOAD_FORMATS.map(value => ({
        value,
        label: t(`format.${value}`),
        help: t(`formatHelp.${value}`),
      })),
    },
    {
      kind: 'custom',
      key: 'payload.template',
      label: t('template'),
      required: true,
      help: t('templateHelp'),
      visible: isTemplate,
      render: input => (
        <TemplateInput {...given(input)} invalid={input.invalid} value={String(input.value ?? '')} data={sample} />
      ),
    },
    {
      kind: 'string',
      key: 'payload.contentType',
      label: t('contentType'),
      half: true,
      mono: true,
      maxLength: 100,
      pattern: /^[a-z]+\/[a-z0-9.+-]+(; ?charset=utf-8)?$/,
      patternText: t('contentTypeRule'),
      placeholder: t('contentTypeAuto'),
      visible: isTemplate,
    },
  ]
}

function deliveryFields({ t, view }: FieldFacts): Field[] {
  return [
    {
      kind: 'number',
      key: 'batching.maxItems',
      label: t('maxItems'),
      help: t('maxItemsHelp'),
      required: true,
      integer: true,
      half: true,
      min: 1,
      max: 100,
      visible: isTarget('webhook', 'nats', 'kafka'),
    },
    {
      kind: 'number',
      key: 'batching.waitMs',
      label: t('waitMs'),
      help: t('waitMsHelp'),
      required: true,
      integer: true,
      half: true,
      min: 0,
      max: 60_000,
      unit: 'ms',
      visible: isTarget('webhook', 'nats', 'kafka'),
    },
    ...(view === null
      ? [
          {
            kind: 'bool' as const,
            key: 'paused',
            label: t('startPaused'),
            help: t('startPausedHelp'),
          },
        ]
      : []),
  ]
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? (value as string[]) : []
}

/** What every control of one's own takes. */
function given({ id, onChange, disabled }: CustomInput) {
  return { id, onChange, disabled }
}
