import { useTranslation } from 'react-i18next'
import { boot } from '../../lib/boot.ts'
import css from './palette.module.css'
import { Sheet } from './sheet.tsx'

/** What came last, newest first; each has a title and a sentence in the texts. */
const NEWS = ['overview', 'rail', 'search', 'firmware', 'subscriptions', 'assistant'] as const

/** What is new in this version. */
export function NewsSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('palette')
  const { version } = boot()
  return (
    <Sheet title={t('news.title')} onClose={onClose}>
      {version && <p className={css.version}>{t('news.version', { version })}</p>}
      <dl className={css.news}>
        {NEWS.map(key => (
          <div key={key}>
            <dt>{t(`news.${key}.title`)}</dt>
            <dd>{t(`news.${key}.text`)}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  )
}
