import type { DeviceIdentityView, TopicList } from '@thingwright/contracts/device-identity.contract'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { Facts, Panel } from '../panel.tsx'
import type { Field, Values } from '../schema-form/field.ts'
import { FormDrawer } from '../schema-form/form-drawer.tsx'
import css from './device-access.module.css'

type Access = DeviceIdentityView['own']

const PATTERN = /^([^#+/]+|\+)(\/([^#+/]+|\+))*(\/#)?$|^#$/
const SUGGESTED = {
  publish: ['property/post', 'event/+/post', 'property/set_reply', 'service/+/invoke_reply', 'raw/up'],
  subscribe: ['property/set', 'service/+/invoke', 'shadow/get_reply', 'raw/down', 'ota/#'],
} as const

/** Topic rights and limit of a product or device: what is in force, where it comes from, and their change. */
export function AccessPanel({
  own,
  inherited = null,
  mayChange,
  onSave,
  children,
}: {
  own: Access
  /** What counts where the device has nothing of its own; null: this is the product. */
  inherited?: Access | null
  mayChange: boolean
  onSave: (access: Access) => Promise<unknown>
  children?: ReactNode
}) {
  const { t } = useTranslation('device-access')
  const [editing, setEditing] = useState(false)
  const from = (isOwn: boolean) =>
    inherited && <span className={css.from}> {t(isOwn ? 'fromDevice' : 'fromProduct')}</span>
  const rights = (direction: 'publish' | 'subscribe') => {
    const list = own.topics[direction] ?? inherited?.topics[direction] ?? null
    return (
      <>
        <TopicTags list={list} />
        {from(own.topics[direction] !== null)}
      </>
    )
  }
  const rate = own.messagesPerSecond ?? inherited?.messagesPerSecond ?? null
  return (
    <Panel
      title={t('access')}
      hint={t(inherited ? 'accessHintDevice' : 'accessHintProduct')}
      actions={mayChange && <Button onClick={() => setEditing(true)}>{t('change')}</Button>}
    >
      <Facts
        items={[
          { label: t('publishing'), value: rights('publish'), wide: true },
          { label: t('subscribing'), value: rights('subscribe'), wide: true },
          {
            label: t('rate'),
            value: (
              <>
                {rate === null ? t('noLimit') : t('perSecond', { rate: formatNumber(rate) })}
                {from(own.messagesPerSecond !== null)}
              </>
            ),
          },
        ]}
      />
      {children}
      {editing && (
        <AccessDrawer own={own} isDevice={inherited !== null} onSave={onSave} onClose={() => setEditing(false)} />
      )}
    </Panel>
  )
}

function TopicTags({ list }: { list: TopicList | null }) {
  const { t } = useTranslation('device-access')
  if (!list || (list.allow.length === 0 && list.deny.length === 0)) return <>{t('everything')}</>
  return (
    <>
      <ul className={css.topics}>
        {list.allow.length === 0 ? (
          <li>{t('everything')}</li>
        ) : (
          list.allow.map(topic => (
            <li key={topic}>
              <code>{topic}</code>
            </li>
          ))
        )}
      </ul>
      {list.deny.length > 0 && (
        <ul className={`${css.topics} ${css.denied}`}>
          <li>{t('except')}</li>
          {list.deny.map(topic => (
            <li key={topic}>
              <code>{topic}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function AccessDrawer({
  own,
  isDevice,
  onSave,
  onClose,
}: {
  own: Access
  isDevice: boolean
  onSave: (access: Access) => Promise<unknown>
  onClose: () => void
}) {
  const { t } = useTranslation('device-access')
  const topics = (direction: 'publish' | 'subscribe'): Field[] => {
    const list = (kind: 'allow' | 'deny'): Field => ({
      kind: 'tags',
      key: `${direction}.${kind}`,
      label: t(`${direction}.${kind}`),
      help: t(kind === 'allow' ? 'allowHelp' : 'denyHelp'),
      maxItems: 20,
      maxLength: 128,
      suggestions: SUGGESTED[direction],
      visible: values => values[`${direction}.own`] !== false,
      check: value => {
        const wrong = ((value ?? []) as string[]).find(topic => !PATTERN.test(topic))
        return wrong === undefined ? null : t('badTopic', { topic: wrong })
      },
    })
    return [
      {
        kind: 'bool',
        key: `${direction}.own`,
        label: t(`${direction}.own`),
        help: t(isDevice ? 'ownHelpDevice' : 'ownHelp'),
      },
      list('allow'),
      list('deny'),
    ]
  }
  const fields: Field[] = [
    ...topics('publish'),
    ...topics('subscribe'),
    {
      kind: 'number',
      key: 'messagesPerSecond',
      label: t('rate'),
      help: t(isDevice ? 'rateHelpDevice' : 'rateHelp'),
      min: 0.01,
      max: 10_000,
      unit: t('rateUnit'),
    },
  ]
  const initial: Values = { messagesPerSecond: own.messagesPerSecond }
  for (const direction of ['publish', 'subscribe'] as const) {
    initial[`${direction}.own`] = own.topics[direction] !== null
    initial[`${direction}.allow`] = own.topics[direction]?.allow ?? []
    initial[`${direction}.deny`] = own.topics[direction]?.deny ?? []
  }
  const listOf = (values: Values, direction: 'publish' | 'subscribe'): TopicList | null =>
    values[`${direction}.own`] === true
      ? {
          allow: (values[`${direction}.allow`] ?? []) as string[],
          deny: (values[`${direction}.deny`] ?? []) as string[],
        }
      : null
  return (
    <FormDrawer
      title={t('access')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      note={t('reconnects')}
      onClose={onClose}
      onSubmit={async values => {
        const all = { ...initial, ...values }
        await onSave({
          topics: { publish: listOf(all, 'publish'), subscribe: listOf(all, 'subscribe') },
          messagesPerSecond: (all.messagesPerSecond as number | null | undefined) ?? null,
        })
        onClose()
      }}
    />
  )
}
