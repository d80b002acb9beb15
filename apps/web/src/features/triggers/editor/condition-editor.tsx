import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { FENCE_STATES, type FenceState } from '@thingwright/contracts/geofences.words'
import { AutoComplete, Button, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { InputNumber } from '../../../ui/input-number.tsx'
import {
  CONDITION_TYPES,
  type Condition,
  type ConditionType,
  fresh,
  innerOf,
  isGroup,
  isWrapper,
  OPERATORS,
  RATE_OPERATORS,
  scalarOf,
  shapeOf,
  turned,
} from '../conditions.ts'
import { propertyOptions, type ScopeModel } from '../hooks.ts'
import css from '../triggers.module.css'
import { FenceSelect } from './fence-select.tsx'
import { Complaint } from './problems.tsx'
import { ScalarInput } from './scalar-input.tsx'

const MAX_DEPTH = 6

interface Props {
  condition: Condition
  /** Where it stands in the trigger, as the server names it in its complaints. */
  path: string
  model: ScopeModel
  depth?: number
  onChange: (condition: Condition) => void
  onRemove?: () => void
}

/** A condition with everything in it: groups hold others, the rest is one line. */
export function ConditionEditor(props: Props) {
  const { condition, path, depth = 0, onChange, onRemove } = props
  const { t } = useTranslation('triggers')
  const inner = innerOf(condition)
  const several = isGroup(condition.type)
  const put = (at: number, next: Condition | null) => {
    if (!several) return onChange({ ...condition, of: next ?? fresh() })
    const of = next === null ? inner.filter((_, place) => place !== at) : inner.with(at, next)
    onChange({ ...condition, of: of.length > 0 ? of : [fresh()] })
  }
  const types = CONDITION_TYPES.filter(
    type => depth < MAX_DEPTH - 1 || !(isGroup(type) || isWrapper(type)) || type === condition.type,
  )
  return (
    <div className={css.condition} data-group={several || isWrapper(condition.type)}>
      <div className={css.conditionLine}>
        <Select
          aria-label={t('conditionType')}
          className={css.typeSelect ?? ''}
          value={condition.type}
          options={types.map(value => ({ value, label: t(`type.${value}`) }))}
          popupMatchSelectWidth={false}
          onChange={(type: ConditionType) => onChange(turned(condition, type))}
        />
        <Fields {...props} />
        {onRemove && (
          <Button
            type="text"
            icon={<CloseOutlined aria-hidden />}
            aria-label={t('removeCondition')}
            title={t('removeCondition')}
            onClick={onRemove}
          />
        )}
      </div>
      <Complaint path={path} />
      {OWN_FIELDS.map(field => (
        <Complaint key={field} path={`${path}.${field}`} />
      ))}
      {(several || isWrapper(condition.type)) && (
        <div className={css.inner}>
          {inner.map((each, at) => (
            <ConditionEditor
              // Conditions have no names of their own; their place tells them apart.
              key={at}
              condition={each}
              path={several ? `${path}.of.${at}` : `${path}.of`}
              model={props.model}
              depth={depth + 1}
              onChange={next => put(at, next)}
              {...(several && inner.length > 1 ? { onRemove: () => put(at, null) } : {})}
            />
          ))}
          {several && (
            <Button
              size="small"
              type="link"
              icon={<PlusOutlined aria-hidden />}
              onClick={() => onChange({ ...condition, of: [...inner, fresh()] })}
            >
              {t('addCondition')}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

/** Fields of a condition about which the server may complain. */
const OWN_FIELDS = ['property', 'op', 'value', 'low', 'high', 'values', 'seconds', 'times', 'perMinute', 'by'].concat([
  'sigmas',
  'identifier',
  'command',
  'key',
  'fence',
  'when',
  'with',
  'device',
  'type',
])

function Fields({ condition, model, onChange }: Props) {
  const { t } = useTranslation('triggers')
  const set = (to: Record<string, unknown>) => {
    const next = { ...condition, ...to } as Condition
    for (const [field, value] of Object.entries(to)) if (value === undefined) delete next[field]
    onChange(next)
  }
  const number = (field: string, unit: string, min?: number) => (
    <InputNumber
      aria-label={t(`cond.${field as 'seconds'}`)}
      className={css.short ?? ''}
      {...(min === undefined ? {} : { min })}
      value={condition[field] as number | undefined}
      suffix={unit}
      onChange={value => set({ [field]: typeof value === 'number' ? value : undefined })}
    />
  )
  const property = (field = 'property') => (
    <AutoComplete
      aria-label={t('property')}
      className={css.propertyBox ?? ''}
      placeholder={t('propertyHint')}
      value={(condition[field] as string | undefined) ?? ''}
      options={propertyOptions(model.properties)}
      popupMatchSelectWidth={false}
      onChange={(value: string) => set({ [field]: value })}
    />
  )
  const operator = (list: readonly string[]) => (
    <Select
      aria-label={t('operator')}
      className={css.operator ?? ''}
      value={condition.op as string}
      options={list.map(value => ({ value, label: t(`op.${value as 'gt'}`) }))}
      popupMatchSelectWidth={false}
      onChange={op =>
        set({
          op,
          ...(shapeOf(op) === shapeOf(condition.op)
            ? {}
            : { value: undefined, low: undefined, high: undefined, values: undefined }),
        })
      }
    />
  )
  switch (condition.type) {
    case 'compare':
      return (
        <>
          {property()}
          {operator(OPERATORS)}
          <CompareValue condition={condition} model={model} set={set} />
        </>
      )
    case 'held':
      return number('seconds', t('secondsUnit'), 1)
    case 'repeated':
      return (
        <>
          {number('times', t('timesUnit'), 2)}
          {number('seconds', t('secondsUnit'), 1)}
        </>
      )
    case 'no_data':
      return (
        <>
          {property()}
          {number('seconds', t('secondsUnit'), 1)}
        </>
      )
    case 'rate':
      return (
        <>
          {property()}
          {operator(RATE_OPERATORS)}
          {number('perMinute', t('perMinute'))}
        </>
      )
    case 'jump':
      return (
        <>
          {property()}
          {number('by', '', 0)}
        </>
      )
    case 'stuck':
      return (
        <>
          {property()}
          {number('seconds', t('secondsUnit'), 1)}
          {number('tolerance', '', 0)}
        </>
      )
    case 'deviation':
      return (
        <>
          {property()}
          {number('sigmas', 'σ', 0.1)}
          {number('seconds', t('secondsUnit'), 1)}
        </>
      )
    case 'event':
      return (
        <AutoComplete
          aria-label={t('event')}
          className={css.propertyBox ?? ''}
          placeholder={t('eventHint')}
          value={(condition.identifier as string | undefined) ?? ''}
          options={model.events.map(event => ({
            value: event.identifier,
            label: `${event.name} · ${event.identifier}`,
          }))}
          onChange={(identifier: string) => set({ identifier })}
        />
      )
    case 'geofence': {
      const when = condition.when as FenceState
      const lasts = when === 'inside' || when === 'outside'
      return (
        <>
          <Select
            aria-label={t('fenceWhenTitle')}
            className={css.operator ?? ''}
            value={when}
            options={FENCE_STATES.map(value => ({ value, label: t(`fenceWhen.${value}`) }))}
            popupMatchSelectWidth={false}
            onChange={value => set({ when: value, seconds: undefined })}
          />
          <FenceSelect value={condition.fence as string} onChange={fence => set({ fence })} />
          {lasts && (
            <InputNumber
              aria-label={t('fenceMinutes')}
              placeholder={t('fenceMinutes')}
              className={css.short ?? ''}
              min={1}
              max={44_640}
              precision={0}
              value={typeof condition.seconds === 'number' ? condition.seconds / 60 : undefined}
              suffix={t('minutesUnit')}
              onChange={value => set({ seconds: typeof value === 'number' ? value * 60 : undefined })}
            />
          )}
        </>
      )
    }
    case 'tick':
      return number('seconds', t('secondsUnit'), 60)
    case 'button':
    case 'api':
      return (
        <Input
          aria-label={t('key')}
          className={css.propertyBox ?? ''}
          placeholder={t('keyHint')}
          maxLength={64}
          value={(condition.key as string | undefined) ?? ''}
          onChange={event => set({ key: event.target.value })}
        />
      )
    default:
      return null
  }
}

/** What a property is held against: a value, two limits, a list, or another property. */
function CompareValue({
  condition,
  model,
  set,
}: {
  condition: Condition
  model: ScopeModel
  set: (to: Record<string, unknown>) => void
}) {
  const { t } = useTranslation('triggers')
  const shape = shapeOf(condition.op)
  const other = condition.with as { property?: string } | undefined
  const isText = model.properties.find(each => each.identifier === condition.property)?.dataType.type === 'string'
  if (shape === 'range')
    return (['low', 'high'] as const).map(field => (
      <InputNumber
        key={field}
        aria-label={t(`field.${field}`)}
        placeholder={t(`field.${field}`)}
        className={css.short ?? ''}
        value={condition[field] as number | undefined}
        onChange={value => set({ [field]: typeof value === 'number' ? value : undefined })}
      />
    ))
  if (shape === 'list')
    return (
      <Select
        aria-label={t('values')}
        mode="tags"
        className={css.propertyBox ?? ''}
        open={false}
        suffixIcon={null}
        tokenSeparators={[',', '，']}
        value={((condition.values as unknown[] | undefined) ?? []).map(String)}
        onChange={(values: string[]) => set({ values: values.map(each => scalarOf(each, isText)) })}
      />
    )
  return (
    <>
      <Select
        aria-label={t('against')}
        className={css.against ?? ''}
        value={other ? 'property' : 'value'}
        options={(['value', 'property'] as const).map(value => ({ value, label: t(`againstWhat.${value}`) }))}
        onChange={what => set(what === 'property' ? { with: { property: '' }, value: undefined } : { with: undefined })}
      />
      {other ? (
        <AutoComplete
          aria-label={t('otherProperty')}
          className={css.propertyBox ?? ''}
          placeholder={t('propertyHint')}
          value={other.property ?? ''}
          options={propertyOptions(model.properties)}
          onChange={(property: string) => set({ with: { ...other, property } })}
        />
      ) : (
        <ScalarInput
          label={t('field.value')}
          className={css.short}
          asText={isText}
          value={condition.value as number | undefined}
          onChange={value => set({ value })}
        />
      )}
    </>
  )
}
