import { useTranslation } from 'react-i18next'
import { HeroDrawing } from '../components/hero-drawing.tsx'
import { SignInCard } from '../components/sign-in-card.tsx'
import css from './index-page.module.css'

/** Landing page: what this is, at the right the way in. Signed-in people never see it (guard). */
export function IndexPage() {
  const { t } = useTranslation('identity')
  return (
    <div className={css.page} data-testid="index-page">
      <section className={css.hero}>
        <h1>{t('hero.title')}</h1>
        <p className={css.lead}>{t('hero.text')}</p>
        <HeroDrawing />
        <ul className={css.facts}>
          {(['fact1', 'fact2', 'fact3'] as const).map(fact => (
            <li key={fact}>
              <b>{t(`hero.${fact}.title`)}</b>
              <span>{t(`hero.${fact}.text`)}</span>
            </li>
          ))}
        </ul>
      </section>
      <div className={css.side}>
        <SignInCard />
      </div>
    </div>
  )
}
