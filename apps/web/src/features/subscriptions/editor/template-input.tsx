import { Button, Input } from 'antd'
import type { TextAreaRef } from 'antd/es/input/TextArea'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import css from '../subscriptions.module.css'
import { FIRST_TEMPLATE } from './draft.ts'

/** Facts that every item has. */
const FACTS = ['id', 'type', 'ts', 'iso ts', 'productKey', 'deviceNo', 'deviceId', 'json data'] as const

/** Templates to begin from; the words in them are the receiver's own. */
const STARTS = {
  json: FIRST_TEMPLATE,
  text: '{{deviceNo}} {{iso ts}} {{type}} {{json data}}',
  chat: `{
  "msgtype": "text",
  "text": { "content": "{{deviceNo}} {{type}}: {{json data}}" }
}`,
} as const

/** The template with what may stand in it; a click puts it where the cursor is. */
export function TemplateInput({
  id,
  value,
  onChange,
  disabled,
  invalid,
  data,
}: {
  id: string
  value: string
  onChange: (value: string) => void
  disabled: boolean
  invalid: boolean
  /** The data of a real item: its keys are offered. */
  data: Readonly<Record<string, unknown>>
}) {
  const { t } = useTranslation('subscriptions')
  const box = useRef<TextAreaRef>(null)
  const put = (name: string) => {
    const area = box.current?.resizableTextArea?.textArea
    const text = `{{${name}}}`
    const from = area?.selectionStart ?? value.length
    const to = area?.selectionEnd ?? from
    onChange(value.slice(0, from) + text + value.slice(to))
    // The cursor stands behind what was put in, once it is drawn.
    setTimeout(() => {
      area?.focus()
      area?.setSelectionRange(from + text.length, from + text.length)
    }, 0)
  }
  const keys = Object.keys(data).slice(0, 12)
  return (
    <div className={css.column}>
      <div className={css.chips}>
        <span className={css.quiet}>{t('templateStart')}</span>
        {(Object.keys(STARTS) as (keyof typeof STARTS)[]).map(name => (
          <Button key={name} size="small" disabled={disabled} onClick={() => onChange(STARTS[name])}>
            {t(`templateStarts.${name}`)}
          </Button>
        ))}
      </div>
      <Input.TextArea
        ref={box}
        id={id}
        className={css.template ?? ''}
        dir="ltr"
        spellCheck={false}
        autoSize={{ minRows: 8, maxRows: 24 }}
        maxLength={16_384}
        disabled={disabled}
        {...(invalid ? { status: 'error' as const, 'aria-invalid': true } : {})}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <div className={css.chips}>
        <span className={css.quiet}>{t('insert')}</span>
        {[...FACTS, ...keys.map(key => `data.${key}`)].map(name => (
          <button key={name} type="button" className={css.chip} disabled={disabled} onClick={() => put(name)}>
            {name}
          </button>
        ))}
      </div>
    </div>
  )
}
