import type { LORA_KEY_NAMES } from '@thingwright/contracts/lora.words'
import type { LoraLinkView } from '@thingwright/contracts/lora-links.contract'
import type { TFunction } from 'i18next'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

type KeyName = (typeof LORA_KEY_NAMES)[number]
type Rows = { key: string; value?: string | null }[] | null | undefined

const OF: Record<'otaa' | 'abp', readonly KeyName[]> = {
  otaa: ['appKey', 'nwkKey', 'genAppKey'],
  abp: ['devAddr', 'nwkSKey', 'appSKey'],
}
const rowsOf = (record: Record<string, string>) => Object.entries(record).map(([key, value]) => ({ key, value }))
const recordOf = (rows: unknown) => Object.fromEntries(((rows as Rows) ?? []).map(row => [row.key, row.value ?? '']))

/** The keys of a device and how ChirpStack treats it. What is kept already is not shown; left empty it stays. */
export function LoraForm({
  deviceId,
  device,
  onClose,
}: {
  deviceId: string
  device: LoraLinkView
  onClose: () => void
}) {
  const { t } = useTranslation('lora-device')
  const set = useAct('loraLinks.setDevice', { touches: ['loraLinks', 'loraDevices'] })
  const fields = useMemo(() => fieldsOf(t, device), [t, device])
  const initial = useMemo(
    () => ({
      activation: device.activation,
      joinEui: device.joinEui,
      skipFcntCheck: device.skipFcntCheck,
      disabled: device.disabled,
      variables: rowsOf(device.variables),
      tags: rowsOf(device.tags),
    }),
    [device],
  )
  return (
    <FormDrawer
      title={t('title')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      note={t('saveNote')}
      onSubmit={async (values, newer) => {
        const { variables, tags, ...given } = values
        const answer = await set.send({
          params: { id: deviceId },
          body: {
            ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== '')),
            variables: recordOf(variables),
            tags: recordOf(tags),
            version: newer ?? device.version,
          } as Body<'loraLinks.setDevice'>,
        })
        if (answer.state === 'registered') notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function fieldsOf(t: TFunction<'lora-device'>, device: LoraLinkView): Field[] {
  const is = (activation: 'otaa' | 'abp') => (values: Values) => (values.activation ?? 'otaa') === activation
  const isNew = device.product?.macVersion === '1.1.0'
  const wanted = (name: KeyName) => name !== 'genAppKey' && (name !== 'nwkKey' || isNew)
  const keyField = (name: KeyName, activation: 'otaa' | 'abp'): Field => ({
    key: name,
    kind: 'string',
    label: t(`keyNames.${name}`),
    mono: true,
    secret: name !== 'devAddr',
    maxLength: name === 'devAddr' ? 8 : 32,
    pattern: name === 'devAddr' ? /^[0-9a-f]{8}$/i : /^[0-9a-f]{32}$/i,
    patternText: t(name === 'devAddr' ? 'hex8' : 'hex32'),
    required: wanted(name) && !device.keys.includes(name),
    ...(device.keys.includes(name) ? { placeholder: t('unchanged') } : {}),
    ...(name === 'genAppKey' ? { help: t('genAppKeyHelp') } : {}),
    visible: is(activation),
  })
  return [
    {
      key: 'activation',
      kind: 'enum',
      display: 'segmented',
      label: t('activation'),
      required: true,
      options: (['otaa', 'abp'] as const).map(value => ({ value, label: t(`activations.${value}`) })),
    },
    {
      key: 'joinEui',
      kind: 'string',
      label: 'JoinEUI',
      mono: true,
      maxLength: 16,
      pattern: /^[0-9a-f]{16}$/i,
      patternText: t('hex16'),
      help: t('joinEuiHelp'),
      visible: is('otaa'),
    },
    ...OF.otaa.filter(name => name !== 'nwkKey' || isNew).map(name => keyField(name, 'otaa')),
    ...OF.abp.map(name => keyField(name, 'abp')),
    { key: 'skipFcntCheck', kind: 'bool', label: t('skipFcntCheck'), help: t('skipFcntCheckHelp') },
    { key: 'disabled', kind: 'bool', label: t('disable'), help: t('disableHelp') },
    pairsField(t, 'variables'),
    pairsField(t, 'tags'),
  ]
}

function pairsField(t: TFunction<'lora-device'>, key: 'variables' | 'tags'): Field {
  return {
    key,
    kind: 'array',
    label: t(key),
    maxItems: 50,
    help: t(`${key}Help`),
    fresh: () => ({ key: '', value: '' }),
    element: {
      key: 'pair',
      kind: 'object',
      label: t('pair'),
      fields: [
        { key: 'key', kind: 'string', label: t('pairKey'), required: true, half: true, maxLength: 64 },
        { key: 'value', kind: 'string', label: t('pairValue'), half: true, maxLength: 256, cleared: '' },
      ],
    },
    check: value => {
      const keys = ((value as Rows) ?? []).map(row => row.key)
      return new Set(keys).size === keys.length ? null : t('pairTwice')
    },
  }
}
