import { CHANNEL_FIELDS, CHANNEL_KINDS, type ChannelKind, PROVIDERS_OF } from '@thingwright/contracts/contacts.words'
import type { NotificationChannelView } from '@thingwright/contracts/notification-channels.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { boot } from '../../../lib/boot.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

/** Every kind with each of its providers, such as `sms.aliyun`. */
const WAYS = CHANNEL_KINDS.flatMap(kind => PROVIDERS_OF[kind].map(provider => `${kind}.${provider}`))

/** Adds or changes an account or a robot. A secret that is left empty stays as it is. */
export function ChannelDrawer({ channel, onClose }: { channel: NotificationChannelView | null; onClose: () => void }) {
  const { t } = useTranslation('contacts')
  const create = useAct('notificationChannels.create')
  const update = useAct('notificationChannels.update')
  const own = channel ? `${channel.kind}.${channel.provider}` : null
  const fields = useMemo<Field[]>(() => {
    const settings = (own ? [own] : WAYS).flatMap(way => {
      const { config, secrets } = CHANNEL_FIELDS[way]!
      const shown = (values: Values) => (own ?? values.way) === way && values.simulated !== true
      return [...config.map(name => ({ name, hidden: false })), ...secrets.map(name => ({ name, hidden: true }))].map(
        ({ name, hidden }): Field => {
          const key = name.replace('?', '') as 'host'
          const isKept = hidden && channel?.secrets.includes(key)
          return {
            key: `${hidden ? 'secret' : 'config'}:${way}:${key}`,
            kind: 'string',
            label: t(`setting.${key}`),
            maxLength: 1024,
            visible: shown,
            required: !name.endsWith('?') && !isKept && channel?.simulated !== true,
            ...(hidden ? { secret: true, keepSpaces: true } : {}),
            ...(isKept ? { placeholder: t('channel.kept') } : {}),
          }
        },
      )
    })
    return [
      { key: 'name', kind: 'string', label: t('channel.name'), required: true, maxLength: 64 },
      ...(own
        ? []
        : [
            {
              key: 'way',
              kind: 'enum',
              label: t('channel.kind'),
              required: true,
              options: WAYS.map(way => {
                const [kind, provider] = way.split('.') as [ChannelKind, 'aliyun']
                return { value: way, label: `${t(`way.${kind}`)} · ${t(`provider.${provider}`)}` }
              }),
            } satisfies Field,
          ]),
      // A simulator brings its own settings.
      ...(own || !boot().demo
        ? []
        : [{ key: 'simulated', kind: 'bool', label: t('channel.useSimulator') } satisfies Field]),
      ...settings,
      { key: 'enabled', kind: 'bool', label: t('enabled') },
    ]
  }, [t, own, channel])
  const initial = useMemo(
    () => ({
      enabled: channel?.enabled ?? true,
      ...(channel
        ? {
            name: channel.name,
            ...Object.fromEntries(
              Object.entries(channel.config).map(([key, value]) => [`config:${own}:${key}`, value]),
            ),
          }
        : { way: 'dingtalk.robot' }),
    }),
    [channel, own],
  )
  return (
    <FormDrawer
      title={t(channel ? 'channel.edit' : 'channel.add')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const way = own ?? String(values.way)
        const part = (prefix: string) =>
          Object.fromEntries(
            Object.entries(values).flatMap(([key, value]) =>
              key.startsWith(`${prefix}:${way}:`) && typeof value === 'string' && value !== ''
                ? [[key.split(':')[2]!, value]]
                : [],
            ),
          )
        const body = { name: values.name, enabled: values.enabled, config: part('config'), secrets: part('secret') }
        if (channel)
          await update.send({
            params: { id: channel.id },
            body: { ...body, version: newer ?? channel.version } as Body<'notificationChannels.update'>,
          })
        else {
          const [kind, provider] = way.split('.')
          const simulated = values.simulated === true
          await create.send({ body: { ...body, kind, provider, simulated } as Body<'notificationChannels.create'> })
        }
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
