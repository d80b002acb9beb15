import { useTranslation } from 'react-i18next'
import { useMatches } from 'react-router'
import { usePageTitle } from '../../lib/page-title.ts'
import type { RouteHandle } from '../route-handle.ts'
import { areaKey } from './area-key.ts'
import css from './area-not-installed.module.css'

/** The page of every area that is announced but not built yet: what it will hold, in the layout of its route. */
export function AreaNotInstalled() {
  const { t } = useTranslation('area-not-installed')
  const route = (useMatches().at(-1)?.handle as RouteHandle | undefined)?.route
  const key = areaKey(route?.path ?? '')
  usePageTitle(t(`areas.${key}.title`))
  return (
    <div className={`${css.center} ${route?.alone ? css.alone : ''}`} data-testid="area-not-installed" data-area={key}>
      <section className={css.card}>
        <span className={css.tag}>{t('soon')}</span>
        <h1 className={css.title}>{t(`areas.${key}.title`)}</h1>
        <p className={css.note}>{t('note')}</p>
        <div className={css.will}>
          <h2>{t('will')}</h2>
          <p>{t(`areas.${key}.text`)}</p>
        </div>
      </section>
    </div>
  )
}
