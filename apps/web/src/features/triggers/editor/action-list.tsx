import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import type { TriggerAction } from '@thingwright/contracts/triggers.contract'
import { Button, Input, Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useAlarmLevels } from '../../../ui/alarm-levels.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { AlarmTag } from '../../../ui/status-tag.tsx'
import { ManySelect } from '../../../ui/thing-pickers.tsx'
import { propertyOptions, type ScopeModel } from '../hooks.ts'
import { ACTIONS, type ActionKind } from '../lists.ts'
import css from '../triggers.module.css'
import { CameraSelect } from './camera-select.tsx'
import { Complaint } from './problems.tsx'
import { ScalarInput } from './scalar-input.tsx'
import { SceneSelect } from './scene-select.tsx'
import { SpeedSelect } from './speed-select.tsx'

const MAX_ACTIONS = 20

const FRESH: Record<ActionKind, TriggerAction> = {
  notify: { kind: 'notify' },
  command: { kind: 'command', command: { kind: 'property_set', params: {} } } as TriggerAction,
  webhook: { kind: 'webhook', url: '' } as TriggerAction,
  scene: { kind: 'scene' },
  alarm: { kind: 'alarm', level: 3 } as TriggerAction,
  clear: { kind: 'clear' },
  delay: { kind: 'delay', seconds: 10 },
  page_popup: { kind: 'page_popup' },
  speak: { kind: 'speak' },
  snapshot: { kind: 'snapshot' },
  sim_stop: { kind: 'sim_stop' },
  sim_limit: { kind: 'sim_limit', speedKbps: 128 } as TriggerAction,
}

interface Props {
  actions: readonly TriggerAction[]
  model: ScopeModel
  onChange: (actions: TriggerAction[]) => void
}

/** What is done, in this order. */
export function ActionList({ actions, model, onChange }: Props) {
  const { t } = useTranslation('triggers')
  return (
    <div className={css.field}>
      <span>{t('actions')}</span>
      {actions.map((action, at) => (
        // Actions have no names of their own; their place tells them apart.
        <div key={at} className={css.condition}>
          <div className={css.conditionLine}>
            <Select
              aria-label={t('actionKind')}
              className={css.typeSelect ?? ''}
              value={action.kind}
              options={[...new Set([...ACTIONS, action.kind])].map(value => ({
                value,
                label: t(`action.${value as ActionKind}`, { defaultValue: value }),
              }))}
              onChange={(kind: string) => onChange(actions.with(at, FRESH[kind as ActionKind] ?? { kind }))}
            />
            <Select
              aria-label={t('onWhat')}
              className={css.against ?? ''}
              value={action.on ?? 'raise'}
              options={(['raise', 'clear'] as const).map(value => ({ value, label: t(`on.${value}`) }))}
              onChange={on => onChange(actions.with(at, { ...action, on }))}
            />
            <Button
              type="text"
              icon={<CloseOutlined aria-hidden />}
              aria-label={t('removeAction')}
              title={t('removeAction')}
              onClick={() => onChange(actions.filter((_, place) => place !== at))}
            />
          </div>
          <ActionFields action={action} model={model} onChange={next => onChange(actions.with(at, next))} />
          <Complaint path={`actions.${at}`} below />
        </div>
      ))}
      <Complaint path="actions" />
      {actions.length < MAX_ACTIONS && (
        <Button
          size="small"
          type="link"
          className={css.add ?? ''}
          icon={<PlusOutlined aria-hidden />}
          onClick={() => onChange([...actions, FRESH.notify])}
        >
          {t('addAction')}
        </Button>
      )}
    </div>
  )
}

function ActionFields({
  action,
  model,
  onChange,
}: {
  action: TriggerAction
  model: ScopeModel
  onChange: (action: TriggerAction) => void
}) {
  const { t } = useTranslation('triggers')
  const levels = useAlarmLevels()
  const given = action as Record<string, unknown>
  const set = (to: Record<string, unknown>) => {
    const next = { ...given, ...to }
    for (const [field, value] of Object.entries(to)) if (value === undefined) delete next[field]
    onChange(next as TriggerAction)
  }
  const text = (field: string, placeholder: string) => (
    <Input
      aria-label={placeholder}
      placeholder={placeholder}
      value={(given[field] as string | undefined) ?? ''}
      maxLength={1000}
      onChange={event => set({ [field]: event.target.value === '' ? undefined : event.target.value })}
    />
  )
  switch (action.kind) {
    case 'notify':
      return (
        <div className={css.inner}>
          <PeopleSelect
            value={(given.loginIds as string[] | undefined) ?? []}
            onChange={ids => set({ loginIds: ids.length === 0 ? undefined : ids })}
          />
          {text('title', t('notifyTitle'))}
          {text('text', t('notifyText'))}
          <small>{t('variables')}</small>
        </div>
      )
    case 'command':
      return <CommandFields given={given} model={model} set={set} />
    case 'webhook':
      return (
        <div className={css.inner}>
          {text('url', 'https://…')}
          <Input.Password
            aria-label={t('webhookSecret')}
            placeholder={t('webhookSecret')}
            autoComplete="new-password"
            maxLength={256}
            value={(given.secret as string | undefined) ?? ''}
            onChange={event => set({ secret: event.target.value === '' ? undefined : event.target.value })}
          />
        </div>
      )
    case 'delay':
      return (
        <div className={css.inner}>
          <InputNumber
            aria-label={t('delaySeconds')}
            className={css.number ?? ''}
            min={1}
            max={86_400}
            precision={0}
            value={action.seconds ?? null}
            suffix={t('secondsUnit')}
            onChange={seconds => set({ seconds: typeof seconds === 'number' ? seconds : undefined })}
          />
        </div>
      )
    case 'page_popup':
    case 'speak':
      return (
        <div className={css.inner}>
          <PageSelect value={given.pageId as string | undefined} onChange={pageId => set({ pageId })} />
          {text('text', t(action.kind === 'speak' ? 'speakText' : 'popupText'))}
          <small>{t('variables')}</small>
        </div>
      )
    case 'scene':
      return (
        <div className={css.inner}>
          <SceneSelect value={given.sceneId as string | undefined} onChange={sceneId => set({ sceneId })} />
        </div>
      )
    case 'alarm':
      return (
        <div className={css.inner}>
          <Select
            aria-label={t('level')}
            className={css.number ?? ''}
            value={given.level as number}
            options={levels.map(({ level }) => ({ value: level, label: <AlarmTag level={level} /> }))}
            onChange={level => set({ level })}
          />
          {text('name', t('alarmName'))}
        </div>
      )
    case 'clear':
      return (
        <div className={css.inner}>
          <TriggerSelect value={given.triggerId as string | undefined} onChange={triggerId => set({ triggerId })} />
        </div>
      )
    case 'sim_stop':
      return (
        <div className={css.inner}>
          <small>{t('simHint')}</small>
        </div>
      )
    case 'sim_limit':
      return (
        <div className={css.inner}>
          <SpeedSelect value={given.speedKbps as number | undefined} onChange={speedKbps => set({ speedKbps })} />
          <small>{t('simHint')}</small>
        </div>
      )
    case 'snapshot':
      return (
        <div className={css.inner}>
          <CameraSelect value={given.channelId as string | undefined} onChange={channelId => set({ channelId })} />
          <small>{t('snapshotHint')}</small>
        </div>
      )
    default:
      return null
  }
}

function CommandFields({
  given,
  model,
  set,
}: {
  given: Record<string, unknown>
  model: ScopeModel
  set: (to: Record<string, unknown>) => void
}) {
  const { t } = useTranslation('triggers')
  const command = (given.command ?? {}) as { kind?: string; identifier?: string; params?: Record<string, unknown> }
  const deviceId = given.deviceId as string | undefined
  const [property, value] = Object.entries(command.params ?? {})[0] ?? ['', undefined]
  const put = (name: string, next: unknown) =>
    set({ command: { kind: 'property_set', params: name === '' ? {} : { [name]: next } } })
  const writable = model.properties.filter(each => each.access !== 'r')
  if (command.kind === 'service' || Object.keys(command.params ?? {}).length > 1)
    return (
      <div className={css.inner}>
        <code className={css.code}>{JSON.stringify(command)}</code>
        <small>{t('commandByApi')}</small>
      </div>
    )
  return (
    <div className={css.inner}>
      <Select
        aria-label={t('commandTo')}
        value={deviceId === undefined ? 'same' : 'other'}
        options={(['same', 'other'] as const).map(each => ({ value: each, label: t(`commandToWhat.${each}`) }))}
        onChange={to => set({ deviceId: to === 'same' ? undefined : '' })}
      />
      {deviceId !== undefined && (
        <ManySelect
          kind="device"
          id="trigger-command-device"
          value={deviceId === '' ? [] : [deviceId]}
          disabled={false}
          placeholder={t('pick.devices')}
          onChange={ids => set({ deviceId: ids.at(-1) ?? '' })}
        />
      )}
      <span className={css.inline}>
        <PropertyBox
          value={property}
          options={deviceId === undefined ? propertyOptions(writable) : []}
          onChange={name => put(name, value ?? '')}
        />
        <span aria-hidden="true">=</span>
        <ScalarInput
          label={t('commandValue')}
          className={css.propertyBox}
          placeholder={t('commandValueHint')}
          keep={text => text.startsWith('=')}
          value={value as number | undefined}
          onChange={next => put(property, next ?? '')}
        />
      </span>
    </div>
  )
}

function PropertyBox({
  value,
  options,
  onChange,
}: {
  value: string
  options: { value: string; label: string }[]
  onChange: (value: string) => void
}) {
  const { t } = useTranslation('triggers')
  return options.length > 0 ? (
    <Select
      aria-label={t('property')}
      className={css.propertyBox ?? ''}
      placeholder={t('propertyHint')}
      value={value === '' ? null : value}
      options={options}
      showSearch
      onChange={onChange}
    />
  ) : (
    <Input
      aria-label={t('property')}
      className={css.propertyBox ?? ''}
      placeholder={t('propertyHint')}
      value={value}
      maxLength={64}
      onChange={event => onChange(event.target.value)}
    />
  )
}

function PeopleSelect({ value, onChange }: { value: readonly string[]; onChange: (ids: string[]) => void }) {
  const { t } = useTranslation('triggers')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const members = useRead(
    'members.list',
    { query: { limit: 50, state: 'active', ...(q === '' ? {} : { q }) } },
    { enabled: useMay('members.list'), keep: true, staleTime: 30_000 },
  )
  return (
    <Select
      aria-label={t('people')}
      mode="multiple"
      placeholder={t('everybody')}
      value={[...value]}
      loading={members.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={(members.data?.items ?? []).map(member => ({
        value: member.id,
        label: member.displayName || member.username || member.id,
      }))}
      onChange={(ids: string[]) => {
        setTyped('')
        onChange(ids)
      }}
    />
  )
}

function PageSelect({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const { t } = useTranslation('triggers')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const found = useRead(
    'cloudPages.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: useMay('cloudPages.list'), keep: true, staleTime: 30_000 },
  )
  return (
    <Select
      aria-label={t('onPage')}
      placeholder={t('onPage')}
      value={value ?? null}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={(found.data?.items ?? []).map(each => ({ value: each.id, label: each.name }))}
      onChange={next => {
        setTyped('')
        onChange(next ?? undefined)
      }}
    />
  )
}

function TriggerSelect({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  const { t } = useTranslation('triggers')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const found = useRead(
    'triggers.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: useMay('triggers.list'), keep: true, staleTime: 30_000 },
  )
  return (
    <Select
      aria-label={t('clearOf')}
      allowClear
      placeholder={t('clearOwn')}
      value={value ?? null}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={(found.data?.items ?? []).map(each => ({ value: each.id, label: each.name }))}
      onChange={next => {
        setTyped('')
        onChange(next ?? undefined)
      }}
    />
  )
}
