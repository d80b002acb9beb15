import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ALARM_COLOURS } from '../lib/tokens.ts'
import { useAlarmLevels } from './alarm-levels.ts'
import css from './ui.module.css'

export type StatusKind =
  | 'online'
  | 'offline'
  | 'never'
  | 'disabled'
  | 'success'
  | 'warning'
  | 'error'
  | 'processing'
  | 'neutral'

const COLOUR: Record<StatusKind, string> = {
  online: 'var(--tw-online)',
  offline: 'var(--tw-offline)',
  never: 'var(--tw-offline)',
  disabled: 'var(--tw-offline)',
  success: 'var(--tw-success)',
  warning: 'var(--tw-warning)',
  error: 'var(--tw-error)',
  processing: 'var(--tw-primary)',
  neutral: 'var(--tw-offline)',
}

/** The sign of a state: a filled dot, a hollow ring (never connected) or a struck circle (disabled). Always beside a word. */
export function StatusDot({ kind, size = 8 }: { kind: StatusKind; size?: number }) {
  const colour = COLOUR[kind]
  return (
    <svg className={css.dot} width={size} height={size} viewBox="0 0 8 8" aria-hidden="true">
      {kind === 'never' || kind === 'disabled' ? (
        <circle cx="4" cy="4" r="3.2" fill="none" stroke={colour} strokeWidth="1.4" />
      ) : (
        <circle cx="4" cy="4" r="4" fill={colour} />
      )}
      {kind === 'disabled' && <path d="M1.8 6.2 6.2 1.8" stroke={colour} strokeWidth="1.4" />}
    </svg>
  )
}

/** A state as dot and word: colour is never the only sign. */
export function StatusTag({ kind, children, title }: { kind: StatusKind; children: ReactNode; title?: string }) {
  return (
    <span className={css.status} data-status={kind} title={title}>
      <StatusDot kind={kind} />
      {children}
    </span>
  )
}

const SHAPES = [
  <circle key="0" cx="6" cy="6" r="4" fill="none" strokeWidth="1.4" />,
  <circle key="1" cx="6" cy="6" r="5" />,
  <rect key="2" x="1.5" y="1.5" width="9" height="9" />,
  <path key="3" d="M6 1 11.5 11H.5z" />,
  <path key="4" d="M6 0l6 6-6 6-6-6z" />,
  <path key="5" d="M3.5 0h5L12 3.5v5L8.5 12h-5L0 8.5v-5z" />,
]

/** An alarm level 0-5 as shape, colour and word: those of the company. */
export function AlarmTag({ level, word = true }: { level: number; word?: boolean }) {
  const { t } = useTranslation('ui')
  const index = Math.min(5, Math.max(0, Math.round(level)))
  const own = useAlarmLevels(index > 0).find(each => each.level === index)
  const name = own?.name ?? t(`alarm.${index}`)
  return (
    <span className={css.status} data-alarm={index} title={word ? undefined : name}>
      <AlarmShape level={index} colour={own?.color ?? ALARM_COLOURS[0]} {...(word ? {} : { label: name })} />
      {word && name}
    </span>
  )
}

/** The shape of a level in a colour, with a name for those who cannot see it where no word stands beside it. */
export function AlarmShape({ level, colour, label }: { level: number; colour: string; label?: string }) {
  return (
    <svg
      className={css.dot}
      width="12"
      height="12"
      viewBox="0 0 12 12"
      fill={colour}
      stroke={level === 0 ? colour : 'none'}
      role={label === undefined ? undefined : 'img'}
      aria-label={label}
      aria-hidden={label === undefined}
    >
      {SHAPES[level]}
    </svg>
  )
}
