import { useTranslation } from 'react-i18next'
import { KINDS } from '../lists.ts'
import css from '../subscriptions.module.css'

/** Several kinds of messages, each with what it is. */
export function KindBoxes({
  id,
  value,
  onChange,
  disabled,
}: {
  id: string
  value: readonly string[]
  onChange: (kinds: string[]) => void
  disabled: boolean
}) {
  const { t } = useTranslation('subscriptions')
  return (
    // biome-ignore lint/a11y/useSemanticElements: the field's own frame and label stand around it
    <div className={css.boxes} id={id} role="group" aria-label={t('kinds')}>
      {KINDS.map(kind => (
        <label key={kind} className={`${css.box} ${value.includes(kind) ? css.boxOn : ''}`}>
          <input
            type="checkbox"
            checked={value.includes(kind)}
            disabled={disabled}
            // In the order of the list, whatever order they were ticked in.
            onChange={event =>
              onChange(KINDS.filter(each => (each === kind ? event.target.checked : value.includes(each))))
            }
          />
          <span>
            <b>{t(`kind.${kind}`)}</b>
            <small>{t(`kindHelp.${kind}`)}</small>
          </span>
        </label>
      ))}
    </div>
  )
}
