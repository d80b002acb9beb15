import type { ModelProblem } from '@thingwright/thing-model'
import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import css from '../products.module.css'

const SHOWN = 20

/** What is wrong with a thing model, each with its place. */
export function ModelProblems({ problems }: { problems: readonly ModelProblem[] | 'json' }) {
  const { t } = useTranslation('products')
  if (problems === 'json') return <Alert type="error" showIcon role="alert" title={t('problem.json')} />
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      title={t('problemCount', { count: problems.length })}
      description={
        <ul className={css.problems}>
          {problems.slice(0, SHOWN).map(problem => (
            <li key={`${problem.path}${problem.code}`}>
              <code>{problem.path || '$'}</code> {t(`problem.${problem.code}`, problem.params)}
            </li>
          ))}
          {problems.length > SHOWN && <li>{t('problemMore', { count: problems.length - SHOWN })}</li>}
        </ul>
      }
    />
  )
}
