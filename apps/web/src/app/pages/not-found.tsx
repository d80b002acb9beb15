import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import buttons from './buttons.module.css'
import { MessagePage } from './message-page.tsx'
import css from './pages.module.css'

/** Any address that is not in the route table. */
export function NotFoundPage() {
  const { t } = useTranslation('shell')
  return (
    <MessagePage
      testid="not-found"
      sign={<span className={css.code}>404</span>}
      title={t('notFound.title')}
      actions={
        <Link to="/index" className={buttons.primary}>
          {t('notFound.home')}
        </Link>
      }
    >
      <p className={css.text}>{t('notFound.text')}</p>
    </MessagePage>
  )
}
