import type { Property } from '@thingwright/thing-model/model'
import { Button, Input, Segmented, Select, Slider, Switch } from 'antd'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { locale } from '../../../lib/i18n.ts'
import { Unreadable } from '../../../ui/schema-form/field.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { NumberInput } from '../../../ui/schema-form/inputs/number-input.tsx'
import { controlOf, stepOf } from './control-kind.ts'
import css from './live.module.css'

const ColorPicker = lazy(async () => ({ default: (await import('antd/es/color-picker')).default }))

/** The control with which a property is set on its card. `value` is what is shown now: the reading, or what is on its way. */
export function PropertyControl({
  property,
  value,
  busy,
  onSet,
  onForm,
}: {
  property: Property
  value: unknown
  busy: boolean
  onSet: (value: unknown) => void
  onForm: () => void
}) {
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const label = t('setProperty', { name: nameOf(property, english) })
  const { dataType } = property
  switch (controlOf(property)) {
    case 'none':
      return null
    case 'switch':
      return <Switch checked={value === true} loading={busy} aria-label={label} onChange={onSet} />
    case 'slider':
      return <SliderControl property={property} value={value} busy={busy} label={label} onSet={onSet} />
    case 'number':
      return <NumberControl property={property} value={value} busy={busy} label={label} onSet={onSet} />
    case 'levels':
    case 'select': {
      const options =
        dataType.type === 'enum'
          ? dataType.items.map(item => ({
              value: item.value,
              label: (english ? item.ename || item.name : item.name) || String(item.value),
            }))
          : []
      return controlOf(property) === 'levels' ? (
        <Segmented
          size="small"
          aria-label={label}
          disabled={busy}
          value={value as string | number}
          options={options}
          onChange={onSet}
        />
      ) : (
        <Select
          size="small"
          aria-label={label}
          loading={busy}
          disabled={busy}
          value={(value as string | number | undefined) ?? null}
          options={options}
          popupMatchSelectWidth={false}
          style={{ minWidth: 120 }}
          onChange={onSet}
        />
      )
    }
    case 'text':
      return <TextControl property={property} value={value} busy={busy} label={label} onSet={onSet} />
    case 'color':
      return (
        <Suspense>
          <ColorPicker
            size="small"
            disabled={busy}
            disabledAlpha
            showText
            value={typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : '#000000'}
            onChangeComplete={colour => onSet(colour.toHexString().slice(0, 7))}
          />
        </Suspense>
      )
    case 'form':
      return (
        <Button size="small" loading={busy} onClick={onForm} aria-label={label}>
          {t('set')}
        </Button>
      )
  }
}

interface ControlProps {
  property: Property
  value: unknown
  busy: boolean
  label: string
  onSet: (value: unknown) => void
}

/** What the person is typing or dragging; follows the reading while nothing of his own stands there. */
function useDraft<T>(value: T): [T, (next: T) => void, () => void] {
  const [draft, setDraft] = useState<{ value: T } | null>(null)
  useEffect(() => {
    if (draft && Object.is(draft.value, value)) setDraft(null)
  }, [draft, value])
  return [draft ? draft.value : value, next => setDraft({ value: next }), () => setDraft(null)]
}

function SliderControl({ property, value, busy, label, onSet }: ControlProps) {
  const type = property.dataType as { min: number; max: number }
  const shown = typeof value === 'number' ? value : type.min
  const [draft, setDraft, drop] = useDraft(shown)
  const commit = (next: unknown) => {
    drop()
    if (typeof next === 'number' && next !== shown) onSet(Math.min(type.max, Math.max(type.min, next)))
  }
  return (
    <span className={css.sliderRow}>
      <Slider
        min={type.min}
        max={type.max}
        step={stepOf(property)}
        value={draft}
        disabled={busy}
        ariaLabelForHandle={label}
        onChange={setDraft}
        onChangeComplete={commit}
      />
      <NumberBox property={property} value={draft} busy={busy} label={label} onCommit={commit} />
    </span>
  )
}

function NumberControl({ property, value, busy, label, onSet }: ControlProps) {
  return (
    <NumberBox
      property={property}
      value={value}
      busy={busy}
      label={label}
      onCommit={next => {
        if (typeof next === 'number' && next !== value) onSet(next)
      }}
    />
  )
}

/** A number that is sent by Enter or on leaving the field; what cannot be sent is marked and stays. */
function NumberBox({
  property,
  value,
  busy,
  label,
  onCommit,
}: {
  property: Property
  value: unknown
  busy: boolean
  label: string
  onCommit: (value: unknown) => void
}) {
  const [draft, setDraft, drop] = useDraft(value)
  const type = property.dataType as { type: string; min?: number; max?: number }
  const wrong =
    draft instanceof Unreadable ||
    (typeof draft === 'number' &&
      ((type.min !== undefined && draft < type.min) ||
        (type.max !== undefined && draft > type.max) ||
        (type.type === 'int32' && !Number.isInteger(draft))))
  const commit = () => {
    if (wrong) return
    drop()
    if (typeof draft === 'number') onCommit(draft)
  }
  return (
    <span className={css.numberBox}>
      <NumberInput
        id={`set-${property.identifier}`}
        size="small"
        value={draft}
        disabled={busy}
        step={stepOf(property)}
        aria-label={label}
        {...(wrong ? { status: 'error' as const } : {})}
        onChange={setDraft}
        onPressEnter={commit}
        onBlur={commit}
      />
    </span>
  )
}

function TextControl({ property, value, busy, label, onSet }: ControlProps) {
  const type = property.dataType as { maxLength?: number }
  const shown = typeof value === 'string' ? value : ''
  const [draft, setDraft, drop] = useDraft(shown)
  const commit = () => {
    drop()
    if (draft !== shown) onSet(draft)
  }
  return (
    <Input
      size="small"
      aria-label={label}
      value={draft}
      disabled={busy}
      {...(type.maxLength === undefined ? {} : { maxLength: type.maxLength })}
      onChange={event => setDraft(event.target.value)}
      onPressEnter={commit}
      onBlur={commit}
    />
  )
}
