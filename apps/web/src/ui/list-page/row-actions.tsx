import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { MenuButton } from '../popup/menu-button.tsx'
import css from './data-table.module.css'
import type { RowAction } from './list-types.ts'

/** At most two words stand open; more than three actions put the rest behind one word. */
const OPEN = 2

export function RowActions({ actions }: { actions: RowAction[] }) {
  const { t } = useTranslation('list-page')
  const navigate = useNavigate()
  const open = actions.length <= OPEN ? actions : actions.slice(0, OPEN)
  const rest = actions.slice(open.length)
  return (
    <span className={css.actionRow}>
      {open.map(action => (
        <ActionWord key={action.key} action={action} />
      ))}
      {rest.length > 0 && (
        <MenuButton
          className={css.action}
          items={rest.map(action => ({
            key: action.key,
            label: action.label,
            title: action.title,
            danger: action.danger === true,
            disabled: action.disabled === true,
            onSelect: () => {
              if (action.to !== undefined) void navigate(action.to)
              else action.onClick?.()
            },
          }))}
        >
          {t('more')}
        </MenuButton>
      )}
    </span>
  )
}

function ActionWord({ action }: { action: RowAction }) {
  const className = `${css.action} ${action.danger ? css.danger : ''}`
  if (action.to !== undefined && !action.disabled)
    return (
      <Link className={className} to={action.to}>
        {action.label}
      </Link>
    )
  return (
    <button
      type="button"
      className={className}
      disabled={action.disabled}
      title={action.title}
      onClick={action.onClick}
    >
      {action.label}
    </button>
  )
}
