import type { ElementProp, Scalar } from '@thingwright/scene'
import { ColorPicker, Input, Select, Space, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { InputNumber } from '../../../ui/input-number.tsx'
import { CameraSelect } from './camera-select.tsx'
import { Field } from './field.tsx'
import { MaterialChoice } from './material-choice.tsx'

/** The control of one property of an element. */
export function PropField({
  kind,
  prop,
  value,
  disabled,
  onChange,
}: {
  /** Of the element. */
  kind: string
  prop: ElementProp
  value: Scalar
  disabled: boolean
  onChange(value: Scalar): void
}) {
  const { t } = useTranslation('cloud-pages')
  const label = t(`props.${prop.key}`)
  const common = { size: 'small' as const, disabled, 'aria-label': label }
  const control = () => {
    switch (prop.type) {
      case 'number':
        return (
          <InputNumber
            {...common}
            style={{ width: '100%' }}
            value={typeof value === 'number' ? value : null}
            onChange={next => onChange(next)}
          />
        )
      case 'boolean':
        return <Switch {...common} checked={value === true || value === 1} onChange={onChange} />
      case 'colour':
        return (
          <ColorPicker
            {...common}
            showText
            value={String(value ?? '') || null}
            onChangeComplete={next => onChange(next.toHexString())}
          />
        )
      case 'choice':
        return (
          <Select
            {...common}
            value={String(value ?? '')}
            options={(prop.choices ?? []).map(choice => ({ value: choice, label: t(`choices_.${choice}`) }))}
            onChange={onChange}
          />
        )
      case 'long':
        return (
          <Input.TextArea
            {...common}
            autoSize={{ minRows: 2, maxRows: 8 }}
            maxLength={4000}
            value={String(value ?? '')}
            onChange={event => onChange(event.target.value)}
          />
        )
      case 'drawing':
        return (
          <input
            type="file"
            accept=".svg,image/svg+xml"
            aria-label={label}
            disabled={disabled}
            onChange={event => {
              const file = event.target.files?.[0]
              if (file && file.size <= 100_000) void file.text().then(onChange)
            }}
          />
        )
      case 'text':
      case 'address':
        if (prop.key === 'channel') return <CameraSelect {...common} value={String(value ?? '')} onChange={onChange} />
        return <Line kind={kind} prop={prop} common={common} value={String(value ?? '')} onChange={onChange} />
    }
  }
  return (
    <Field label={label} wide={prop.type === 'long' || prop.type === 'address' || prop.type === 'drawing'}>
      {control()}
    </Field>
  )
}

/** A line of text; the address of a picture or film has the person's own materials beside it. */
function Line({
  kind,
  prop,
  common,
  value,
  onChange,
}: {
  kind: string
  prop: ElementProp
  common: { size: 'small'; disabled: boolean; 'aria-label': string }
  value: string
  onChange(value: string): void
}) {
  const input = <Input {...common} maxLength={1000} value={value} onChange={event => onChange(event.target.value)} />
  if (prop.key !== 'src' || (kind !== 'image' && kind !== 'video')) return input
  return (
    <Space.Compact block>
      {input}
      <MaterialChoice kind={kind} disabled={common.disabled} onChange={onChange} />
    </Space.Compact>
  )
}
