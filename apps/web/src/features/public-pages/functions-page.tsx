import { useTranslation } from 'react-i18next'
import { ServerState } from '../../lib/server-state/server-state.tsx'
import { Charges } from './charges.tsx'
import { PageFrame } from './page-frame.tsx'
import css from './public-pages.module.css'

const AREAS = ['connect', 'manage', 'data', 'team', 'security', 'files', 'open'] as const
const COUNT: Record<(typeof AREAS)[number], number> = {
  connect: 5,
  manage: 5,
  data: 4,
  team: 4,
  security: 5,
  files: 3,
  open: 4,
}
const QUESTIONS = ['expire', 'data', 'limits', 'invoice'] as const

/** What there is and what it costs, as far as both are settled. */
export function FunctionsPage() {
  const { t } = useTranslation('public-pages')
  return (
    <PageFrame
      title={t('functions.title')}
      lead={t('functions.lead')}
      anchors={[
        { id: 'functions', label: t('functions.list') },
        ...AREAS.map(area => ({ id: `area-${area}`, label: t(`functions.${area}.title`), level: 2 as const })),
        { id: 'charges', label: t('functions.charges') },
        { id: 'questions', label: t('functions.questions') },
      ]}
    >
      <section aria-labelledby="functions">
        <h2 id="functions">{t('functions.list')}</h2>
        <div className={css.cards}>
          {AREAS.map(area => (
            <section key={area} className={css.card} aria-labelledby={`area-${area}`}>
              <h3 id={`area-${area}`}>{t(`functions.${area}.title`)}</h3>
              <ul>
                {Array.from({ length: COUNT[area] }, (_, at) => (
                  <li key={at}>{t(`functions.${area}.${at + 1}`)}</li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </section>
      <section aria-labelledby="charges">
        <h2 id="charges">{t('functions.charges')}</h2>
        <ServerState>
          <Charges />
        </ServerState>
      </section>
      <section aria-labelledby="questions">
        <h2 id="questions">{t('functions.questions')}</h2>
        <dl className={css.questions}>
          {QUESTIONS.map(question => (
            <div key={question}>
              <dt>{t(`functions.question.${question}.q`)}</dt>
              <dd>{t(`functions.question.${question}.a`)}</dd>
            </div>
          ))}
        </dl>
      </section>
    </PageFrame>
  )
}
