import type { ReactNode } from 'react'
import css from './panel.module.css'

/**
 * A button that is an icon, with its words as a tooltip. One that cannot be used just now says why: in the tooltip, to a
 * screen reader, and to whoever presses it all the same (`onRefused`).
 */
export function IconButton({
  label,
  reason,
  pressed,
  onPress,
  onRefused,
  testId,
  tip = 'below',
  children,
}: {
  label: string
  reason?: string | null | undefined
  pressed?: boolean
  onPress: () => void
  onRefused?: (reason: string) => void
  testId?: string
  tip?: 'below' | 'below-left' | 'above'
  children: ReactNode
}) {
  return (
    <button
      type="button"
      className={css.icon}
      aria-label={label}
      aria-disabled={reason ? true : undefined}
      aria-description={reason ?? undefined}
      aria-pressed={pressed}
      data-tip={reason ?? label}
      data-tip-at={tip}
      data-testid={testId}
      onClick={() => {
        if (!reason) onPress()
        else onRefused?.(reason)
      }}
    >
      {children}
    </button>
  )
}
