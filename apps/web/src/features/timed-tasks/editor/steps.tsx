import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import type { StepScope, TimedAction } from '@thingwright/contracts/timed-tasks.contract'
import { MAX_DELAY_SECONDS, MAX_TIMED_ACTIONS, TIMED_ACTIONS } from '@thingwright/contracts/timed-tasks.words'
import type { Property } from '@thingwright/thing-model/model'
import { Button, Checkbox, Input, Select } from 'antd'
import { useDeferredValue, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { boolWords, nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { GroupsSelect, ManySelect } from '../../../ui/thing-pickers.tsx'
import { freshCommand } from '../draft.ts'
import { Complaint, useProblemCode } from '../problems.tsx'
import css from '../timed-tasks.module.css'
import { useProperties } from './use-properties.ts'

const FIELDS = ['deviceIds', 'productIds', 'groupIds', 'tags'] as const

interface Props {
  actions: readonly TimedAction[]
  /** Of the list, in what the server complains about. */
  path: 'actions' | 'offActions'
  /** A scene has no scenes in it. */
  inScene?: boolean
  onChange: (actions: TimedAction[]) => void
}

/** What is done, in this order. */
export function Steps({ actions, path, inScene = false, onChange }: Props) {
  const { t } = useTranslation('timed-tasks')
  const kinds = TIMED_ACTIONS.filter(kind => kind !== 'scene' || !inScene)
  const fresh = (kind: TimedAction['kind']): TimedAction =>
    kind === 'command' ? freshCommand() : kind === 'delay' ? { kind, seconds: 60 } : { kind }
  return (
    <div className={css.stack}>
      {actions.map((action, at) => (
        // Steps have no names of their own; their place tells them apart.
        <div key={at} className={css.step}>
          <div className={css.spread}>
            <Select
              aria-label={t('stepKind', { n: at + 1 })}
              className={css.wide ?? ''}
              value={action.kind}
              options={kinds.map(value => ({ value, label: t(`action.${value}`) }))}
              onChange={(kind: TimedAction['kind']) => onChange(actions.with(at, fresh(kind)))}
            />
            {actions.length > 1 && (
              <Button
                type="text"
                icon={<CloseOutlined aria-hidden />}
                aria-label={t('removeStep')}
                onClick={() => onChange(actions.filter((_, place) => place !== at))}
              />
            )}
          </div>
          <StepFields action={action} path={`${path}.${at}`} onChange={next => onChange(actions.with(at, next))} />
          <Complaint path={`${path}.${at}`} below />
        </div>
      ))}
      <Complaint path={path} />
      {actions.length < MAX_TIMED_ACTIONS && (
        <Button
          size="small"
          type="link"
          className={css.start ?? ''}
          icon={<PlusOutlined aria-hidden />}
          onClick={() => onChange([...actions, freshCommand()])}
        >
          {t('addStep')}
        </Button>
      )}
    </div>
  )
}

function StepFields({
  action,
  path,
  onChange,
}: {
  action: TimedAction
  path: string
  onChange: (action: TimedAction) => void
}) {
  const { t } = useTranslation('timed-tasks')
  if (action.kind === 'delay')
    return (
      <InputNumber
        aria-label={t('seconds')}
        className={css.short ?? ''}
        min={1}
        max={MAX_DELAY_SECONDS}
        precision={0}
        value={action.seconds ?? null}
        suffix={t('unitOf.seconds')}
        onChange={seconds => onChange({ ...action, seconds: Number(seconds ?? 1) })}
      />
    )
  if (action.kind === 'scene')
    return <SceneSelect value={action.sceneId} onChange={sceneId => onChange({ kind: 'scene', sceneId })} />
  return <CommandFields action={action} path={path} onChange={onChange} />
}

function CommandFields({
  action,
  path,
  onChange,
}: {
  action: TimedAction
  path: string
  onChange: (action: TimedAction) => void
}) {
  const { t } = useTranslation('timed-tasks')
  const id = useId()
  const scope = action.scope ?? {}
  const field = FIELDS.find(each => scope[each] !== undefined) ?? 'deviceIds'
  const values = scope[field] ?? []
  const set = (ids: string[]) => onChange({ ...action, scope: { [field]: ids } as StepScope })
  const properties = useProperties(scope)
  const { command = { kind: 'property_set' as const, params: {} } } = action
  const asks = useProblemCode(`${path}.command`) === 'command.confirm_required'
  const picker = { id, value: values, onChange: set, disabled: false, placeholder: t('chooseHint') }
  return (
    <>
      <span className={css.line}>
        <Select
          aria-label={t('toWhat')}
          className={css.short ?? ''}
          value={field}
          options={FIELDS.map(value => ({ value, label: t(`scopeOf.${value}`) }))}
          onChange={(next: (typeof FIELDS)[number]) => onChange({ ...action, scope: { [next]: [] } as StepScope })}
        />
      </span>
      {field === 'groupIds' ? (
        <GroupsSelect {...picker} />
      ) : field === 'tags' ? (
        <Select id={id} aria-label={t('scopeOf.tags')} mode="tags" value={[...values]} onChange={set} />
      ) : (
        <ManySelect kind={field === 'deviceIds' ? 'device' : 'product'} {...picker} />
      )}
      {command.kind === 'service' || Object.keys(command.params ?? {}).length > 1 ? (
        <code className={css.code}>{JSON.stringify(command)}</code>
      ) : (
        <Assignment
          params={command.params ?? {}}
          properties={properties}
          onChange={params => onChange({ ...action, command: { ...command, params } })}
        />
      )}
      {(asks || command.acknowledged) && (
        <Checkbox
          checked={command.acknowledged === true}
          onChange={event => {
            const { acknowledged: _, ...rest } = command
            onChange({ ...action, command: event.target.checked ? { ...rest, acknowledged: true } : rest })
          }}
        >
          {t('acknowledge')}
        </Checkbox>
      )}
    </>
  )
}

/** One property and its value, asked for as its type is. */
function Assignment({
  params,
  properties,
  onChange,
}: {
  params: Record<string, unknown>
  properties: readonly Property[]
  onChange: (params: Record<string, unknown>) => void
}) {
  const { t } = useTranslation('timed-tasks')
  const [name = '', value] = Object.entries(params)[0] ?? []
  const property = properties.find(each => each.identifier === name)
  const english = locale() === 'en'
  return (
    <span className={css.line}>
      {properties.length > 0 ? (
        <Select
          aria-label={t('property')}
          className={css.wide ?? ''}
          placeholder={t('propertyHint')}
          showSearch={{ optionFilterProp: 'label' }}
          value={name === '' ? null : name}
          options={properties.map(each => ({ value: each.identifier, label: nameOf(each, english) }))}
          onChange={(next: string) => {
            const type = properties.find(each => each.identifier === next)?.dataType.type
            onChange({ [next]: type === 'bool' ? true : '' })
          }}
        />
      ) : (
        <Input
          aria-label={t('property')}
          className={css.wide ?? ''}
          placeholder={t('propertyHint')}
          maxLength={64}
          value={name}
          onChange={event => onChange(event.target.value === '' ? {} : { [event.target.value]: value ?? '' })}
        />
      )}
      <span aria-hidden="true">=</span>
      <Value property={property} value={value} disabled={name === ''} onChange={next => onChange({ [name]: next })} />
    </span>
  )
}

function Value({
  property,
  value,
  disabled,
  onChange,
}: {
  property: Property | undefined
  value: unknown
  disabled: boolean
  onChange: (value: unknown) => void
}) {
  const { t } = useTranslation('timed-tasks')
  const english = locale() === 'en'
  const type = property?.dataType
  const common = { 'aria-label': t('value'), className: css.short ?? '', disabled }
  if (type?.type === 'bool') {
    const words = boolWords(type, english)
    return (
      <Select
        {...common}
        value={value === true}
        options={[
          { value: true, label: words.on ?? t('edge.on') },
          { value: false, label: words.off ?? t('edge.off') },
        ]}
        onChange={onChange}
      />
    )
  }
  if (type?.type === 'enum')
    return (
      <Select
        {...common}
        value={value === '' ? null : (value as string | number)}
        options={type.items.map(item => ({ value: item.value, label: (english && item.ename) || item.name }))}
        onChange={onChange}
      />
    )
  if (type && ['int32', 'float', 'double'].includes(type.type))
    return (
      <InputNumber
        {...common}
        value={typeof value === 'number' ? value : null}
        onChange={next => onChange(next ?? '')}
      />
    )
  return (
    <Input
      {...common}
      value={typeof value === 'string' ? value : JSON.stringify(value ?? '')}
      onChange={event => onChange(type ? event.target.value : readValue(event.target.value))}
    />
  )
}

/** Without a model: what looks like a number or a truth value is one. */
function readValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** One of the company's scenes, searched as one types. */
export function SceneSelect({ value, onChange }: { value: string | undefined; onChange: (id: string) => void }) {
  const { t } = useTranslation('timed-tasks')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const allowed = useMay('scenes.list')
  const found = useRead(
    'scenes.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: allowed, keep: true },
  )
  const own = useRead('scenes.get', { params: { id: value ?? '' } }, { enabled: allowed && value !== undefined })
  const items = found.data?.items ?? []
  const all = own.data && !items.some(({ id }) => id === value) ? [own.data, ...items] : items
  return (
    <Select
      aria-label={t('scene')}
      className={css.wide ?? ''}
      placeholder={t('sceneHint')}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      value={value ?? null}
      options={all.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id: string) => {
        setTyped('')
        onChange(id)
      }}
    />
  )
}
