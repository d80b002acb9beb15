import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { parseSvg } from '../../../lib/svg-icon.ts'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import { PRODUCT_ICONS } from '../product-icons.ts'
import css from '../products.module.css'

const MAX_LENGTH = 8192

/** One of our drawings, none, or an SVG file of one's own (the server keeps its shapes only). */
export function IconChoice({
  id,
  value,
  onChange,
  disabled,
}: {
  id: string
  value: string
  onChange: (svg: string) => void
  disabled: boolean
}) {
  const { t } = useTranslation('products')
  const file = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const own = value !== '' && !PRODUCT_ICONS.some(icon => icon.svg === value)
  const take = async (picked: File | undefined) => {
    if (!picked) return
    const text = await picked.text()
    if (text.length > MAX_LENGTH || parseSvg(text) === null) setProblem(t('iconRefused'))
    else {
      setProblem(null)
      onChange(text)
    }
  }
  const choices = [{ name: 'none', svg: '' }, ...PRODUCT_ICONS]
  return (
    <div id={id} className={css.icons} role="radiogroup" aria-label={t('icon')}>
      {choices.map(icon => (
        <label
          key={icon.name}
          title={t(`icons.${icon.name}`)}
          className={`${css.iconChoice} ${value === icon.svg ? css.chosen : ''}`}
        >
          <input
            type="radio"
            className={css.iconRadio}
            name={id}
            aria-label={t(`icons.${icon.name}`)}
            checked={value === icon.svg}
            disabled={disabled}
            onChange={() => onChange(icon.svg)}
          />
          <ThingIcon svg={icon.svg} size={36} />
        </label>
      ))}
      {own && (
        <span className={`${css.iconChoice} ${css.chosen}`}>
          <ThingIcon svg={value} size={36} />
        </span>
      )}
      <Button disabled={disabled} onClick={() => file.current?.click()}>
        {t('iconUpload')}
      </Button>
      <input
        ref={file}
        type="file"
        accept="image/svg+xml,.svg"
        hidden
        onChange={event => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}
