import type { Property, ThingModel } from '@thingwright/thing-model/model'
import { Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import css from './format.module.css'

/** A number that may be absent. */
export function OptionalNumber({
  label,
  value,
  placeholder,
  integer = false,
  min,
  max,
  disabled = false,
  onChange,
}: {
  label: string
  value: number | undefined
  placeholder?: string
  integer?: boolean
  min?: number
  max?: number
  disabled?: boolean
  onChange: (value: number | undefined) => void
}) {
  return (
    <InputNumber
      aria-label={label}
      className={css.number ?? ''}
      value={value ?? null}
      controls={false}
      disabled={disabled}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(integer ? { precision: 0 } : {})}
      {...(min === undefined ? {} : { min })}
      {...(max === undefined ? {} : { max })}
      onChange={next => onChange(typeof next === 'number' ? next : undefined)}
    />
  )
}

/** One of the model's identifiers; another may be typed while the model does not have it yet. */
export function IdentifierSelect({
  model,
  value,
  label,
  kind = 'property',
  disabled = false,
  onChange,
}: {
  model: ThingModel
  value: string | undefined
  label: string
  kind?: 'property' | 'event'
  disabled?: boolean
  onChange: (value: string) => void
}) {
  const { t } = useTranslation('payload-format')
  const things: readonly Pick<Property, 'identifier' | 'name' | 'ename'>[] =
    kind === 'event' ? model.events : model.properties
  const known = things.some(thing => thing.identifier === value)
  return (
    <Select
      aria-label={label}
      className={css.wide ?? ''}
      value={value || null}
      disabled={disabled}
      placeholder={t('choose')}
      popupMatchSelectWidth={false}
      showSearch={{ optionFilterProp: 'label' }}
      {...(value && !known ? { status: 'warning' as const, title: t('notInModel') } : {})}
      options={[
        ...(value && !known ? [{ value, label: `${value} · ${t('notInModel')}` }] : []),
        ...things.map(thing => ({
          value: thing.identifier,
          label: `${(locale() === 'en' && thing.ename) || thing.name} · ${thing.identifier}`,
        })),
      ]}
      onChange={next => onChange(next ?? '')}
    />
  )
}

/** A choice of words whose names are texts of this feature. */
export function WordSelect<W extends string>({
  label,
  words,
  group,
  value,
  disabled = false,
  onChange,
}: {
  label: string
  words: readonly W[]
  /** Key of the texts. */
  group: string
  value: W
  disabled?: boolean
  onChange: (value: W) => void
}) {
  const { t } = useTranslation('payload-format')
  return (
    <Select
      aria-label={label}
      className={css.wide ?? ''}
      value={value}
      disabled={disabled}
      popupMatchSelectWidth={false}
      options={words.map(word => ({ value: word, label: t(`${group}.${word}`) }))}
      onChange={next => onChange(next)}
    />
  )
}

/** Text in mono, trimmed when it is left. */
export function CodeInput({
  label,
  value,
  placeholder,
  maxLength = 200,
  wrong = false,
  disabled = false,
  onChange,
}: {
  label: string
  value: string
  placeholder?: string
  maxLength?: number
  wrong?: boolean
  disabled?: boolean
  onChange: (value: string) => void
}) {
  return (
    <Input
      aria-label={label}
      className={css.mono ?? ''}
      value={value}
      maxLength={maxLength}
      disabled={disabled}
      spellCheck={false}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(wrong ? { status: 'error' as const } : {})}
      onChange={event => onChange(event.target.value)}
      onBlur={event => event.target.value !== event.target.value.trim() && onChange(event.target.value.trim())}
    />
  )
}
