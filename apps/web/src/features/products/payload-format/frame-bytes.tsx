import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { useAppearance } from '../../../lib/appearance.ts'
import { SERIES_COLOURS } from '../../../lib/tokens.ts'
import css from './format.module.css'

export type Recognised = Reply<'formats.tryFormat'>['fields'][number]

/** More bytes than these are not drawn one by one. */
const SHOWN = 512

/** A frame byte by byte, coloured by what the format recognised; bytes can be marked by dragging or Shift and arrows. */
export function FrameBytes({
  bytes,
  fields,
  onSelect,
}: {
  bytes: Uint8Array
  fields: readonly Recognised[]
  onSelect?: (range: { at: number; length: number } | null) => void
}) {
  const { t } = useTranslation('payload-format')
  const mode = useAppearance(s => s.mode)
  const colours = SERIES_COLOURS[mode]
  const [range, setRange] = useState<{ from: number; to: number } | null>(null)
  const dragging = useRef(false)
  const owner = useMemo(() => {
    const of = new Map<number, number>()
    fields.forEach((field, index) => {
      for (let at = field.at; at < field.at + field.length; at++) of.set(at, index)
    })
    return of
  }, [fields])
  const colourOf = (index: number) => colours[index % colours.length] ?? ''
  const choose = (from: number, to: number) => {
    setRange({ from, to })
    onSelect?.({ at: Math.min(from, to), length: Math.abs(to - from) + 1 })
  }
  const chosen = (at: number) =>
    range !== null && at >= Math.min(range.from, range.to) && at <= Math.max(range.from, range.to)
  return (
    <div>
      <div className={css.bytes} dir="ltr" data-testid="frame-bytes" onPointerUp={() => (dragging.current = false)}>
        {[...bytes.subarray(0, SHOWN)].map((byte, at) => {
          const index = owner.get(at)
          const field = index === undefined ? undefined : fields[index]
          return (
            <button
              // Bytes have no identity but their place.
              key={at}
              type="button"
              className={`${css.byte} ${chosen(at) ? css.chosen : ''}`}
              style={index === undefined ? undefined : ({ '--byte-colour': colourOf(index) } as React.CSSProperties)}
              title={`${at}${field ? ` · ${nameOf(field, t)}` : ''}`}
              disabled={!onSelect}
              onPointerDown={event => {
                event.currentTarget.releasePointerCapture(event.pointerId)
                dragging.current = true
                choose(event.shiftKey && range ? range.from : at, at)
              }}
              onPointerEnter={() => dragging.current && range && choose(range.from, at)}
              onKeyDown={event => {
                const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
                if (step === 0) {
                  if (event.key === 'Enter' || event.key === ' ') choose(at, at)
                  return
                }
                event.preventDefault()
                const next = Math.max(0, Math.min(Math.min(bytes.length, SHOWN) - 1, at + step))
                ;(event.currentTarget.parentElement?.children[next] as HTMLElement | undefined)?.focus()
                if (event.shiftKey) choose(range?.from ?? at, next)
              }}
            >
              {byte.toString(16).padStart(2, '0').toUpperCase()}
              <small>{byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'}</small>
            </button>
          )
        })}
        {bytes.length > SHOWN && <span className={css.quiet}>{t('moreBytes', { count: bytes.length - SHOWN })}</span>}
      </div>
      {fields.length > 0 && (
        <ul className={css.legend}>
          {fields.slice(0, 60).map((field, index) => (
            <li key={`${field.at}/${index}`}>
              <span
                className={css.swatch}
                style={{ '--byte-colour': colourOf(index) } as React.CSSProperties}
                aria-hidden
              />
              {nameOf(field, t)}
              {field.value !== null && field.value !== undefined && <b>{valueText(field.value)}</b>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function nameOf(field: Recognised, t: (key: string, options?: Record<string, unknown>) => string): string {
  return field.identifier ?? t(`role.${field.role}`, { defaultValue: field.role })
}

function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
