import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { MenuButton } from '../popup/menu-button.tsx'
import { strokeIcon } from '../stroke-icon.tsx'
import css from './list-page.module.css'

/** So many actions stand open; the rest are behind one word. */
const OPEN = 3

export interface BatchEntry {
  key: string
  label: string
  danger?: boolean
  onClick: () => void
}

/** What can be done with the rows that were chosen, in one row where the pager was. */
export function BatchBar({
  count,
  everything,
  actions,
  pages,
  onCancel,
}: {
  count: number
  /** Offers everything that the list shows, beyond the page. */
  everything: { label: string; onClick: () => void } | null
  actions: readonly BatchEntry[]
  /** Rows may be chosen on several pages; null: there is one. */
  pages: { previous: (() => void) | null; next: (() => void) | null } | null
  onCancel: () => void
}) {
  const { t } = useTranslation('list-page')
  // What is dangerous is not beside what is done every day, unless there is room for all.
  const calm = actions.length > OPEN + 1 ? actions.filter(action => !action.danger) : actions
  const open = actions.length > OPEN + 1 ? calm.slice(0, OPEN) : actions
  const rest = actions.filter(action => !open.includes(action))
  return (
    <div className={css.selection} role="toolbar" aria-label={t('selected', { count })}>
      <strong aria-live="polite">{t('selected', { count })}</strong>
      {everything && (
        <Button type="link" className={css.everything ?? ''} onClick={everything.onClick}>
          {everything.label}
        </Button>
      )}
      <span className={css.footSpace} />
      {pages && (
        <>
          <PageStep label={t('previous')} path="M10 3.5 5.5 8l4.5 4.5" go={pages.previous} />
          <PageStep label={t('next')} path="M6 3.5 10.5 8 6 12.5" go={pages.next} />
        </>
      )}
      {open.map(action => (
        <Button
          key={action.key}
          className={css.batchAction ?? ''}
          danger={action.danger === true}
          onClick={action.onClick}
        >
          {action.label}
        </Button>
      ))}
      {rest.length > 0 && (
        <MenuButton
          className={css.moreButton}
          items={rest.map(action => ({
            key: action.key,
            label: action.label,
            danger: action.danger === true,
            onSelect: action.onClick,
          }))}
        >
          {t('more')}
        </MenuButton>
      )}
      <Button type="text" className={css.batchAction ?? ''} onClick={onCancel}>
        {t('unselect')}
      </Button>
    </div>
  )
}

function PageStep({ label, path, go }: { label: string; path: string; go: (() => void) | null }) {
  return (
    <button
      type="button"
      className={css.tool}
      aria-label={label}
      title={label}
      disabled={go === null}
      onClick={go ?? undefined}
    >
      {strokeIcon(<path d={path} />)}
    </button>
  )
}
