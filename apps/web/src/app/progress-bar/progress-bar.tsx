import { useProgress } from './progress.ts'
import css from './progress-bar.module.css'

/** The thin line at the very top while a page is being opened. */
export function ProgressBar() {
  const { active, value } = useProgress()
  return (
    <div className={css.track} data-testid="progress-bar" data-value={value} data-active={active} aria-hidden="true">
      <div
        className={css.bar}
        style={{
          transform: `scaleX(${value / 100})`,
          opacity: active ? 1 : 0,
          transition: active ? undefined : 'none',
        }}
      />
    </div>
  )
}
