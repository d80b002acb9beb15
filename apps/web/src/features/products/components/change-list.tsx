import { useTranslation } from 'react-i18next'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from './change-list.module.css'

export interface ChangeLine {
  of: 'property' | 'event' | 'service'
  kind: 'added' | 'removed' | 'changed'
  identifier: string
  attributes: readonly string[]
  /** Why it can hurt; empty when it cannot. */
  breaking: readonly string[]
}

const KIND = { added: 'success', removed: 'error', changed: 'warning' } as const

/** Differences between two models, those that can hurt first. */
export function ChangeList({ changes }: { changes: readonly ChangeLine[] }) {
  const { t } = useTranslation('products')
  const sorted = [...changes].sort((a, b) => Number(b.breaking.length > 0) - Number(a.breaking.length > 0))
  return (
    <ul className={css.changes}>
      {sorted.map(change => (
        <li key={`${change.of}/${change.identifier}/${change.kind}`} className={css.changeLine}>
          <StatusTag kind={KIND[change.kind]}>{t(`mark.${change.kind}`)}</StatusTag>
          <span className={css.changeOf}>{t(`of.${change.of}`)}</span>
          <code className={css.changeName}>{change.identifier}</code>
          <span className={css.changeWhat}>
            {change.kind === 'changed' &&
              t('changedAttributes', {
                list: change.attributes
                  .map(name => t(`attribute.${name}`, { defaultValue: name }))
                  .join(t('listSeparator')),
              })}
            {change.breaking.length > 0 && (
              <strong className={css.breaking}>
                {t('breakingMark')} {change.breaking.map(reason => t(`breaking.${reason}`)).join(t('listSeparator'))}
              </strong>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
