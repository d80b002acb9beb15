import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import css from '../public-pages.module.css'
import { diffLines } from './diff-lines.ts'

/** The lines of a document with what was added and removed; never by colour alone. */
export function DiffView({ before, after }: { before: string; after: string }) {
  const { t } = useTranslation('public-pages')
  const lines = useMemo(() => diffLines(before, after), [before, after])
  if (lines.every(line => line.kind === 'same')) return <p>{t('terms.noChange')}</p>
  return (
    <div className={css.diff}>
      {lines.map((line, at) => {
        if (line.kind === 'same') return <p key={at}>{line.text}</p>
        const Mark = line.kind === 'added' ? 'ins' : 'del'
        return (
          <p key={at}>
            <Mark>
              <span className={css.hidden}>{t(line.kind === 'added' ? 'terms.added' : 'terms.removed')} </span>
              {line.text}
            </Mark>
          </p>
        )
      })}
    </div>
  )
}
